#pragma once
/// Annealed importance sampling (Neal 2001): M independent trajectories from p_0 to p_K.
///
///     x ~ p_0;  log w = 0
///     for k = 1..K:
///         log w += log f_{b_k}(x) - log f_{b_{k-1}}(x)
///         if k < K: x ~ T_k(. | x),  T_k leaving p_{b_k} invariant
///     log Z_K/Z_0 = log mean w
///
/// b_k: inverse temperatures of the schedule; f_b: unnormalised densities of the path; (w_k, x after T_k) targets
/// p_{b_k}, from which ESS, running log Z and Var[u] are recorded at every temperature (k = K: the last state, which is
/// not moved).

#include "pearlite/estimator/importance.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace pearlite::sampler {

template <model::AnnealedModel M, class Kernel>
class AnnealedImportance {
  public:
    using Model = M;
    using Block = typename M::Block;

    /// Collective. Draws the trajectories' starts.
    AnnealedImportance(const parallel::Communicator& ranks, std::shared_ptr<const M> model, path::Schedule schedule,
                       Kernel kernel, const PopulationSettings& settings)
        : ranks_(ranks),
          model_(std::move(model)),
          schedule_(std::move(schedule)),
          kernel_(std::move(kernel)),
          settings_(settings) {
        auto& particles = population_.append(settings.particles, settings.block, ranks_,
                                             [&](Index size) { return model_->make_block(size); });
        on_the_fly_.begin(schedule_[0], 0);
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                auto& block = particles.block(b);
                model_->draw_start(block, block_streams(particles, b, settings_.seed, 0));
                model_->path_derivative(block, schedule_[0], derivatives_of(block));
                on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), derivatives_of(block), 0);
            }
        });
        flush();
    }

    bool finished() const { return k_ == schedule_.steps(); }

    /// Collective. One temperature.
    void step() {
        PEARLITE_EXPECTS(!finished());
        ++k_;
        const double from = schedule_[k_ - 1], to = schedule_[k_];
        const bool last = finished();
        auto& particles = population_.generation(0);

        if (!last) {
            if (kernel_.adapts())
                agree(); // its reduction must find all ranks
            kernel_.adapt(ranks_, particles, k_);
        }
        on_the_fly_.begin(to, last ? 0 : settings_.particles * kernel_.moves());
        attempt([&] {
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                auto& block = particles.block(b);
                const auto log_w = particles.of_block(particles.log_weights(), b);
                const auto derivative = derivatives_of(block);
                Index accepted = 0;
                if (!last) {
                    accepted = kernel_.anneal(*model_, block, from, to, block_streams(particles, b, settings_.seed, k_),
                                              log_w, derivative);
                } else {
                    model_->add_log_ratio(block, from, to, log_w);
                    model_->path_derivative(block, to, derivative);
                }
                require_numbers(log_w, particles, b, k_);
                on_the_fly_.add_block(log_w, derivative, accepted);
            }
        });
        if (finished() || on_the_fly_.pending() >= temperatures_per_reduction())
            flush();
    }

    /// Collective. Everything recorded up to now enters the trace; called before saving.
    void flush() {
        agree();
        if (on_the_fly_.pending() > 0)
            on_the_fly_.flush(ranks_, settings_.particles, 0, kernel_.accepts(), trace_);
    }

    Progress progress() const {
        return {k_, schedule_.steps(), schedule_[k_], trace_.ess.back(), trace_.log_ratio.back()};
    }

    /// Collective; finished().
    Outcome outcome() const {
        const auto& particles = population_.generation(0);
        const auto log_w = ranks_.gather(std::span<const double>(particles.log_weights()));
        Outcome outcome;
        parallel::on_root(ranks_, [&] {
            // Large populations need fewer bootstrap replicates and could not afford many.
            const auto replicates = std::clamp<Index>(20'000'000 / settings_.particles, 200, 1000);
            const auto estimate = estimator::importance_estimate(log_w, settings_.seed, static_cast<int>(replicates));
            outcome.log_ratio = {estimate.delta, estimate.bootstrap};
            outcome.ess = estimate.ess;
            if (estimate.ess < 20)
                outcome.warnings.push_back("the effective number of trajectories at the end is below 20: use more "
                                           "temperatures, or more trajectories");
            else if (estimate.skewness_of_mean > largest_skewness)
                outcome.warnings.push_back("the weights are skewed: the error bar is probably too small; use more "
                                           "temperatures, or more trajectories");
        });
        return outcome;
    }

    const M& model() const { return *model_; }
    const path::Schedule& schedule() const { return schedule_; }
    /// log Z/Z_0 as of the last reduction.
    double log_ratio() const { return trace_.log_ratio.back(); }
    const Trace& trace() const { return trace_; }
    population::Population<Block>& population() { return population_; }
    const PopulationSettings& settings() const { return settings_; }
    Index updates_per_step() const { return settings_.particles * kernel_.moves(); }
    /// Likelihoods computed so far, of the starts and of every proposal; nothing moves at the last temperature.
    Index likelihood_estimates() const {
        return settings_.particles + std::min(k_, schedule_.steps() - 1) * updates_per_step();
    }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("step", k_);
        population_.fields(f, packed_particle_bytes(*model_));
        f.enter("trace");
        trace_.fields(f);
        f.leave();
        f.enter("kernel");
        kernel_.fields(f);
        f.leave();
    }
    /// After reading: recomputes what is derived from the states.
    void prepare() { prepare_blocks(*model_, population_.generation(0)); }

  private:
    static constexpr double largest_skewness = 0.5; ///< of the mean weight, for an error bar without a warning
    /// Many blocks make a reduction cheap beside a step, and their records large.
    Index temperatures_per_reduction() const {
        const Index blocks = population_.generation(0).layout().blocks();
        return std::clamp<Index>((Index{1} << 18) / blocks, 1, 64);
    }

    std::span<double> derivatives_of(const Block& block) {
        derivatives_.resize(static_cast<std::size_t>(block.size()));
        return derivatives_;
    }

    /// Trajectories meet nowhere but in reductions: a failure here waits for the next one, where all ranks learn of it.
    template <class Work>
    void attempt(Work&& work) {
        failure_.guard(ranks_, std::forward<Work>(work));
    }
    void agree() const { failure_.agree(ranks_); }

    parallel::Communicator ranks_;
    std::shared_ptr<const M> model_;
    path::Schedule schedule_;
    Kernel kernel_;
    PopulationSettings settings_;
    population::Population<Block> population_;
    Index k_ = 0;
    Trace trace_;
    OnTheFly on_the_fly_;
    std::vector<double> derivatives_;
    DelayedFailure failure_;
};

} // namespace pearlite::sampler
