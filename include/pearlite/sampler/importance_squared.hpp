#pragma once
/// Importance sampling with an estimated likelihood, IS^2 (Tran, Scharth, Pitt & Kohn 2013), by which annealed
/// importance sampling is measured; with an exact likelihood it is plain importance sampling.
///
///     for rounds of adaptation, and once more with the final number of draws:
///         theta ~ q' = (1 - e) q + e prior;  w = prior(theta) likelihood^(theta) / q'(theta)
///         q <- one expectation-maximisation step of the Student mixture with the weights w
///     Z = mean w
///
/// q: a mixture of Student t distributions; e: the defensive share (Hesterberg 1995). Z is unbiased: q of the final
/// draws does not depend on them.

#include "pearlite/estimator/importance.hpp"
#include "pearlite/kernel/student_mixture.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/geometric.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace pearlite::sampler {

struct ImportanceSettings {
    Index draws_per_round = 1024; ///< in whole blocks
    Index rounds = 5;             ///< of adaptation
    double defensive_share = 0;   ///< of the draws, from the prior, so that no weight exceeds likelihood/share
};

/// The estimate and its error bars, with warnings where few or skewed weights decide. log weights of all draws.
Outcome importance_outcome(std::span<const double> log_weights, std::uint64_t seed);

template <class D>
class ImportanceSquared {
  public:
    using Model = path::GeometricPath<D>;
    using Block = model::DensityBlock;

    /// Collective. `first` is the mixture before any adaptation.
    ImportanceSquared(const parallel::Communicator& ranks, std::shared_ptr<const Model> model,
                      kernel::StudentMixture first, const PopulationSettings& settings,
                      const ImportanceSettings& importance)
        : ranks_(ranks),
          model_(std::move(model)),
          mixture_(std::move(first)),
          settings_(settings),
          importance_(importance),
          log_normaliser_(model_->log_normaliser_start().value_or(0)) {
        population_.append(settings.particles, settings.block, ranks_,
                           [&](Index size) { return model_->make_block(size); });
    }

    bool finished() const { return round_ == importance_.rounds + 1; }

    /// Collective. A share of a round, so that a long round can be interrupted.
    void step() {
        PEARLITE_EXPECTS(!finished());
        auto& particles = population_.generation(0);
        if (share_ == 0)
            begin_round(particles);
        parallel::together(ranks_, [&] { draw_share(particles); });
        ++step_;
        if (++share_ == shares_of_round())
            end_round(particles);
    }

    Progress progress() const {
        Progress progress{step_, 0, 1, ess_, log_ratio_};
        for (Index round = 0; round <= importance_.rounds; ++round)
            progress.steps += shares(round);
        return progress;
    }

    /// Collective; finished().
    Outcome outcome() const {
        const auto log_w = ranks_.gather(std::span<const double>(population_.generation(0).log_weights()));
        Outcome outcome;
        parallel::on_root(ranks_, [&] { outcome = importance_outcome(log_w, settings_.seed); });
        outcome.arrays.push_back({"importance/draws", rounds_draws_});
        outcome.arrays.push_back({"importance/ess", rounds_ess_});
        outcome.arrays.push_back({"importance/log_ratio", rounds_log_ratio_});
        return outcome;
    }

    void flush() {}
    const kernel::StudentMixture& mixture() const { return mixture_; }
    const Model& model() const { return *model_; }
    double log_ratio() const { return log_ratio_; }
    const Trace& trace() const { return trace_; }
    population::Population<Block>& population() { return population_; }
    const PopulationSettings& settings() const { return settings_; }
    Index updates_per_step() const { return finished() ? 0 : draws_of_round(round_) / shares_of_round(); }
    /// Likelihoods computed so far; rounds that are not complete count as none.
    Index likelihood_estimates() const {
        return static_cast<Index>(std::accumulate(rounds_draws_.begin(), rounds_draws_.end(), 0.0));
    }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("round", round_);
        f("share", share_);
        f("step", step_);
        f("rounds_draws", rounds_draws_);
        f("rounds_ess", rounds_ess_);
        f("rounds_log_ratio", rounds_log_ratio_);
        f("log_ratio", log_ratio_);
        f("ess", ess_);
        auto mixture = mixture_.values();
        f("mixture", mixture);
        mixture_ = kernel::StudentMixture::from_values(mixture, mixture_.dimension());
        population_.fields(f, packed_particle_bytes(*model_));
        f.enter("trace");
        trace_.fields(f);
        f.leave();
    }
    void prepare() {}

  private:
    /// Marks a slot of this round that has no draw yet; no draw has such a log weight.
    static constexpr double not_drawn = std::numeric_limits<double>::quiet_NaN();
    static constexpr double log_zero = -std::numeric_limits<double>::infinity();
    /// Of one step, on all ranks.
    static constexpr Index draws_of_step = 512;

    Index n_blocks() const { return (settings_.particles + settings_.block - 1) / settings_.block; }
    /// Blocks that take part in a round, the last one always among them: all of them in the last round, and spread
    /// evenly over the others, and thus over ranks, while the proposal adapts.
    Index blocks_of_round(Index round) const {
        const Index wanted = (importance_.draws_per_round + settings_.block - 1) / settings_.block;
        return round < importance_.rounds ? std::min(wanted, n_blocks()) : n_blocks();
    }
    bool takes_part(Index block) const {
        const Index of_round = blocks_of_round(round_);
        return (block + 1) * of_round / n_blocks() > block * of_round / n_blocks();
    }
    Index draws_of_round(Index round) const {
        return settings_.particles - (n_blocks() - blocks_of_round(round)) * settings_.block;
    }
    Index shares(Index round) const { return (draws_of_round(round) + draws_of_step - 1) / draws_of_step; }
    Index shares_of_round() const { return shares(round_); }

    void begin_round(population::Generation<Block>& particles) {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto log_w = particles.of_block(particles.log_weights(), b);
            const bool draws = takes_part(particles.layout().first_local_block() + b);
            std::fill(log_w.begin(), log_w.end(), draws ? not_drawn : log_zero);
        }
    }

    /// An even share of what is left, so that a round can go on on another number of ranks.
    void draw_share(population::Generation<Block>& particles) {
        std::vector<Index> left;
        for (Index b = 0; b < particles.local_blocks(); ++b)
            if (std::isnan(particles.of_block(particles.log_weights(), b).front()))
                left.push_back(b);
        const auto shares_left = static_cast<std::size_t>(shares_of_round() - share_);
        left.resize((left.size() + shares_left - 1) / shares_left);
        for (const Index b : left)
            draw_block(particles, b);
    }

    void draw_block(population::Generation<Block>& particles, Index b) {
        auto& block = particles.block(b);
        const auto streams = block_streams(particles, b, settings_.seed, round_ + 1);
        const auto log_w = particles.of_block(particles.log_weights(), b);
        for (Index i = 0; i < block.size(); ++i)
            draw(streams, i, point(block, i));
        model_->evaluate(block, block.points, block.log_prior, block.log_likelihood, streams);
        for (Index i = 0; i < block.size(); ++i)
            log_w[static_cast<std::size_t>(i)] = block.log_prior(i) + block.log_likelihood(i) - log_normaliser_ -
                                                 log_proposal(point(block, i), block.log_prior(i) - log_normaliser_);
        require_numbers(log_w, particles, b, round_ + 1);
    }
    std::span<double> point(Block& block, Index i) const {
        return {block.points.col(i).data(), static_cast<std::size_t>(model_->dimension())};
    }

    /// From q, or in the defensive share of cases from the prior.
    void draw(const model::BlockStreams& streams, Index i, std::span<double> x) const {
        random::Stream stream(streams.at(random::Purpose::start, i));
        if (importance_.defensive_share > 0 && stream.uniform() < importance_.defensive_share)
            model_->density().draw_prior(stream, x);
        else
            mixture_.draw(stream, x);
    }
    double log_proposal(std::span<const double> x, double log_prior) const {
        const double log_q = mixture_.log_density(x), share = importance_.defensive_share;
        if (share == 0)
            return log_q;
        const double larger = std::max(log_q, log_prior);
        return larger + std::log((1 - share) * std::exp(log_q - larger) + share * std::exp(log_prior - larger));
    }

    void end_round(population::Generation<Block>& particles) {
        const auto weights = population::summarise(ranks_, particles.layout(), particles.log_weights());
        if (weights.log_max == log_zero)
            throw NumericalError("no draw has a positive weight in round " + std::to_string(round_ + 1));
        const Index draws = draws_of_round(round_);
        share_ = 0;
        ++round_;
        record(weights, draws);
        if (!finished())
            adapt(weights.log_max);
    }

    void adapt(double log_max) {
        const auto& particles = population_.generation(0);
        population::BlockSums sums(mixture_.statistics_size());
        std::vector<double> of_block;
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto& block = particles.block(b);
            const auto log_w = particles.of_block(particles.log_weights(), b);
            of_block.assign(mixture_.statistics_size(), 0.0);
            for (Index i = 0; i < block.size(); ++i)
                if (const double w = std::exp(log_w[static_cast<std::size_t>(i)] - log_max); w > 0)
                    mixture_.add_statistics({block.points.col(i).data(), static_cast<std::size_t>(model_->dimension())},
                                            w, of_block);
            for (std::size_t k = 0; k < of_block.size(); ++k)
                sums.add(k, of_block[k]);
        }
        mixture_ = mixture_.updated(sums.total(ranks_));
    }

    void record(const population::WeightSummary& weights, Index draws) {
        log_ratio_ = weights.log_sum - std::log(static_cast<double>(draws));
        ess_ = weights.ess;
        rounds_draws_.push_back(static_cast<double>(draws));
        rounds_ess_.push_back(ess_);
        rounds_log_ratio_.push_back(log_ratio_);
        if (!finished())
            return;
        trace_.inverse_temperature = {1};
        trace_.log_ratio = {log_ratio_};
        trace_.ess = {ess_};
        population::BlockSums sums(3);
        const auto& particles = population_.generation(0);
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto& block = particles.block(b);
            const auto log_w = particles.of_block(particles.log_weights(), b);
            double weight = 0, first = 0, second = 0;
            for (Index i = 0; i < block.size(); ++i)
                if (const double w = std::exp(log_w[static_cast<std::size_t>(i)] - weights.log_max); w > 0) {
                    weight += w;
                    first += w * block.log_likelihood(i);
                    second += w * block.log_likelihood(i) * block.log_likelihood(i);
                }
            sums.add(0, weight);
            sums.add(1, first);
            sums.add(2, second);
        }
        const auto total = sums.total(ranks_);
        const double mean = total[1] / total[0];
        trace_.mean_u = {mean};
        trace_.variance_u = {std::max(0.0, total[2] / total[0] - mean * mean)};
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const Model> model_;
    kernel::StudentMixture mixture_;
    PopulationSettings settings_;
    ImportanceSettings importance_;
    population::Population<Block> population_;
    double log_normaliser_ = 0;   ///< of the prior, where its density leaves it out
    Index round_ = 0, share_ = 0; ///< rounds that are complete, and steps of the present one
    Index step_ = 0;              ///< of all rounds
    std::vector<double> rounds_draws_, rounds_ess_, rounds_log_ratio_;
    double log_ratio_ = 0, ess_ = 0;
    Trace trace_;
};

} // namespace pearlite::sampler
