#pragma once
/// Importance sampling with an estimated likelihood, IS^2 (Tran, Scharth, Pitt & Kohn 2013), by which annealed
/// importance sampling is measured; with an exact likelihood it is plain importance sampling.
///
///     for rounds of adaptation, and once more with the final number of draws:
///         theta ~ q;  w = prior(theta) likelihood^(theta) / q(theta)
///         q <- one expectation-maximisation step of the Student mixture with the weights w
///     Z = mean w
///
/// Z is unbiased: q of the final draws does not depend on them.

#include "pearlite/estimator/importance.hpp"
#include "pearlite/kernel/student_mixture.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/geometric.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace pearlite::sampler {

struct ImportanceSettings {
    Index draws_per_round = 1024;
    Index rounds = 5;
};

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
          importance_(importance) {
        population_.append(settings.particles, settings.block, ranks_,
                           [&](Index size) { return model_->make_block(size); });
    }

    bool finished() const { return round_ == importance_.rounds + 1; }

    /// Collective. One round.
    void step() {
        PEARLITE_EXPECTS(!finished());
        ++round_;
        auto& particles = population_.generation(0);
        const Index draws = round_ <= importance_.rounds ? std::min(importance_.draws_per_round, settings_.particles)
                                                         : settings_.particles;
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b)
                draw_block(particles, b, draws);
        });
        const auto weights = population::summarise(ranks_, particles.layout(), particles.log_weights());
        if (weights.log_max == -std::numeric_limits<double>::infinity())
            throw NumericalError("no draw has a positive weight in round " + std::to_string(round_));
        if (!finished())
            adapt(weights.log_max);
        record(weights, draws);
    }

    Progress progress() const { return {round_, importance_.rounds + 1, 1, ess_, log_ratio_}; }

    /// Collective; finished().
    Outcome outcome() const {
        const auto log_w = ranks_.gather(std::span<const double>(population_.generation(0).log_weights()));
        Outcome outcome;
        parallel::on_root(ranks_, [&] {
            const auto replicates = std::clamp<Index>(20'000'000 / settings_.particles, 200, 1000);
            const auto estimate = estimator::importance_estimate(log_w, settings_.seed, static_cast<int>(replicates));
            outcome.log_ratio = {estimate.delta, estimate.bootstrap};
            outcome.ess = estimate.ess;
            if (estimate.ess < 20)
                outcome.warnings.push_back("the effective number of draws is below 20: the proposal misses the "
                                           "posterior, or the likelihood's estimate is too noisy");
        });
        return outcome;
    }

    void flush() {}
    const kernel::StudentMixture& mixture() const { return mixture_; }
    const Model& model() const { return *model_; }
    double log_ratio() const { return log_ratio_; }
    const Trace& trace() const { return trace_; }
    population::Population<Block>& population() { return population_; }
    const PopulationSettings& settings() const { return settings_; }
    Index updates_per_step() const { return settings_.particles; }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("round", round_);
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
    /// Draws beyond those of the round have no weight.
    void draw_block(population::Generation<Block>& particles, Index b, Index draws) {
        auto& block = particles.block(b);
        const auto streams = block_streams(particles, b, settings_.seed, round_);
        const auto d = static_cast<std::size_t>(model_->dimension());
        const auto log_w = particles.of_block(particles.log_weights(), b);
        std::fill(log_w.begin(), log_w.end(), -std::numeric_limits<double>::infinity());
        const Index n = std::clamp<Index>(draws - streams.first_slot, 0, block.size());
        if (n == 0)
            return;
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::start, i));
            mixture_.draw(stream, {block.points.col(i).data(), d});
        }
        model_->evaluate(block, block.points, block.log_prior, block.log_likelihood, streams);
        for (Index i = 0; i < n; ++i)
            log_w[static_cast<std::size_t>(i)] =
                block.log_prior(i) + block.log_likelihood(i) - mixture_.log_density({block.points.col(i).data(), d});
        require_numbers(log_w, particles, b, round_);
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
    Index round_ = 0;
    double log_ratio_ = 0, ess_ = 0;
    Trace trace_;
};

} // namespace pearlite::sampler
