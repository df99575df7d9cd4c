#pragma once
/// Tempered sequential Monte Carlo (Del Moral, Doucet & Jasra 2006), with the steps of Tran, Strickland, Pitt & Kohn's
/// algorithm 1: M particles that are weighted, resampled when the ESS falls, and moved.
///
///     x ~ p_0;  W = 1/M
///     for t = 1..T:
///         a_t from the schedule, or as far from a_{t-1} as the conditional ESS allows
///         W <- W f_{a_t}(x)/f_{a_{t-1}}(x);   log Z += log sum_i W_i;  normalise
///         if ESS < alpha M: resample (W = 1/M)
///         x ~ T_t(. | x), n_moves times, T_t leaving p_{a_t} invariant, its scale from the population before the move
///
/// a_t: inverse temperatures; alpha: ess_threshold. Z is unbiased if schedule and proposal scales are fixed beforehand,
/// also where the likelihood is an unbiased estimate (path/geometric.hpp). With alpha = 0 nothing is resampled, which
/// is Neal's annealed importance sampling; with one step and moves that do not matter, importance sampling from p_0.

#include "pearlite/estimator/genealogy.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/adaptive_schedule.hpp"
#include "pearlite/sampler/likelihood_noise.hpp"
#include "pearlite/sampler/power_posterior.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"
#include "pearlite/sampler/work_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace pearlite::sampler {

struct SmcSettings {
    population::Resampling resampling = population::Resampling::systematic;
    double ess_threshold = 0.5; ///< alpha, a fraction of M
    bool balance = true;        ///< deal blocks to ranks by what they cost; no number depends on it
};

template <model::AnnealedModel M, class Kernel>
class Smc {
  public:
    using Model = M;
    using Block = typename M::Block;

    /// Collective. Draws the particles' starts.
    Smc(const parallel::Communicator& ranks, std::shared_ptr<const M> model,
        std::variant<path::Schedule, AdaptiveSchedule> schedule, Kernel kernel, const PopulationSettings& settings,
        const SmcSettings& smc_settings)
        : ranks_(ranks),
          model_(std::move(model)),
          schedule_(std::move(schedule)),
          kernel_(std::move(kernel)),
          settings_(settings),
          smc_settings_(smc_settings),
          work_(ranks, smc_settings.balance) {
        auto& particles = population_.append(settings.particles, settings.block, ranks_,
                                             [&](Index size) { return model_->make_block(size); });
        size_buffers();
        on_the_fly_.begin(0, 0);
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                auto& block = particles.block(b);
                work_.time(b, [&] { model_->draw_start(block, block_streams(particles, b, settings_.seed, 0)); });
                model_->path_derivative(block, 0, particles.of_block(derivatives_, b));
                on_the_fly_.add_block(particles.of_block(particles.log_weights(), b),
                                      particles.of_block(derivatives_, b), 0);
            }
        });
        n_eves_ = settings.particles;
        record(false);
    }

    bool finished() const { return a_ == inverse_temperature_end(); }

    /// Collective. One temperature.
    void step() {
        PEARLITE_EXPECTS(!finished());
        ++t_;
        auto& particles = population_.generation(0);
        const double from = a_;
        a_ = next_inverse_temperature();

        reweight(from, a_);
        const auto weights = population::summarise(ranks_, particles.layout(), particles.log_weights());
        if (weights.log_max == log_zero_)
            throw NumericalError("no particle has a positive weight at step " + std::to_string(t_));
        log_ratio_ = log_ratio_at_resampling_ + weights.log_mean;
        ess_ = weights.ess;
        if (finished()) { // errors are read off before any resampling that follows the last weighting
            resamplings_before_end_ = n_resamplings_;
            final_eve_weights_ =
                population::eve_weights(ranks_, particles.layout(), particles.log_weights(), particles.eves());
        }
        kernel_.adapt(ranks_, particles, t_);
        const bool resample = weights.ess < smc_settings_.ess_threshold * static_cast<double>(settings_.particles);
        if (resample)
            resample_particles();
        balance_work();
        move();
        record(resample);
    }

    Progress progress() const {
        const auto* given = std::get_if<path::Schedule>(&schedule_);
        return {t_, given ? given->steps() : 0, a_, ess_, log_ratio_};
    }

    /// Collective; finished().
    Outcome outcome() const {
        Outcome outcome;
        outcome.ess = ess_;
        outcome.log_ratio = {
            estimator::single_run_estimate(log_ratio_, final_eve_weights_, static_cast<double>(settings_.particles),
                                           static_cast<int>(resamplings_before_end_),
                                           smc_settings_.resampling == population::Resampling::multinomial)};
        if (ess_ < 20)
            outcome.warnings.push_back(
                "the effective sample size of the final weights is below 20: use more particles, "
                "or more temperatures");
        if constexpr (model::HasLinearPath<M>) {
            auto others = power_posterior_.estimates(n_eves_);
            if (others.empty())
                outcome.warnings.push_back("the power posterior has no estimate: the first particles include one of "
                                           "likelihood zero, or of infinite log f_1/f_0");
            outcome.log_ratio.insert(outcome.log_ratio.end(), others.begin(), others.end());
        }
        if constexpr (requires { requires model::HasEstimatedLikelihood<typename M::Density>; })
            outcome.diagnostics = noise_diagnostics(
                likelihood_log_variance(ranks_, *model_, population_.generation(0), settings_.seed),
                noise_factor(visited_schedule()), outcome.log_ratio.front().standard_error, settings_.particles);
        return outcome;
    }

    void flush() {}
    const M& model() const { return *model_; }
    const Kernel& kernel() const { return kernel_; }
    /// The inverse temperatures visited so far.
    path::Schedule visited_schedule() const { return path::Schedule(trace_.inverse_temperature); }
    double log_ratio() const { return log_ratio_; }
    const Trace& trace() const { return trace_; }
    population::Population<Block>& population() { return population_; }
    const PopulationSettings& settings() const { return settings_; }
    Index updates_per_step() const { return settings_.particles * kernel_.moves(); }
    /// Likelihoods computed so far, of the starts and of every proposal.
    Index likelihood_estimates() const { return settings_.particles + t_ * updates_per_step(); }

    /// What the ranks' moves cost.
    const population::WorkAccount& work() const { return work_.account(); }

    /// Collective. Gives the blocks to other ranks: rank r owns those from first_blocks[r] up to first_blocks[r + 1].
    /// No number depends on it.
    void deal(std::vector<Index> first_blocks) {
        deal_blocks(ranks_, *model_, population_.generation(0), std::move(first_blocks));
        size_buffers();
    }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("step", t_);
        f("inverse_temperature", a_);
        f("log_ratio", log_ratio_);
        f("log_ratio_at_resampling", log_ratio_at_resampling_);
        f("ess", ess_);
        f("resamplings", n_resamplings_);
        f("resamplings_before_end", resamplings_before_end_);
        f("eves", n_eves_);
        f("final_eve_weights", final_eve_weights_);
        population_.fields(f, packed_particle_bytes(*model_));
        f.enter("trace");
        trace_.fields(f);
        f.leave();
        f.enter("power_posterior");
        power_posterior_.fields(f);
        f.leave();
        f.enter("kernel");
        kernel_.fields(f);
        f.leave();
    }
    /// After reading: recomputes what is derived from the states.
    void prepare() { prepare_blocks(*model_, population_.generation(0)); }

  private:
    static constexpr double log_zero_ = -std::numeric_limits<double>::infinity();

    double inverse_temperature_end() const {
        if (const auto* given = std::get_if<path::Schedule>(&schedule_))
            return given->end();
        return std::get<AdaptiveSchedule>(schedule_).inverse_temperature_end;
    }

    double next_inverse_temperature() {
        if (const auto* given = std::get_if<path::Schedule>(&schedule_))
            return (*given)[t_];
        return next_of(std::get<AdaptiveSchedule>(schedule_), a_, trace_.variance_u.back(),
                       [&](double to) { return conditional_ess(a_, to); });
    }

    double conditional_ess(double from, double to) {
        const auto& particles = population_.generation(0);
        parallel::together(ranks_, [&] { compute_increments(from, to); });
        return population::conditional_ess(ranks_, particles.layout(), particles.log_weights(), increments_);
    }

    void compute_increments(double from, double to) {
        auto& particles = population_.generation(0);
        std::fill(increments_.begin(), increments_.end(), 0.0);
        for (Index b = 0; b < particles.local_blocks(); ++b)
            model_->add_log_ratio(particles.block(b), from, to, particles.of_block(increments_, b));
    }

    void reweight(double from, double to) {
        auto& particles = population_.generation(0);
        parallel::together(ranks_, [&] {
            compute_increments(from, to);
            auto& log_w = particles.log_weights();
            for (std::size_t i = 0; i < log_w.size(); ++i)
                log_w[i] += increments_[i];
            for (Index b = 0; b < particles.local_blocks(); ++b)
                require_numbers(particles.of_block(log_w, b), particles, b, t_);
        });
    }

    void resample_particles() {
        auto& particles = population_.generation(0);
        const auto numbers =
            population::offspring(ranks_, particles.layout(), particles.number(), particles.log_weights(),
                                  smc_settings_.resampling, settings_.seed, static_cast<std::uint32_t>(t_));
        population::relocate(ranks_, particles, numbers, packed_particle_bytes(*model_));
        parallel::together(ranks_, [&] { prepare(); });
        log_ratio_at_resampling_ = log_ratio_;
        ++n_resamplings_;
        n_eves_ = population::surviving_eves(ranks_, particles.layout(), particles.eves());
    }

    /// Where blocks differ in cost, as likelihoods do over theta, ranks with dear ones give some away.
    void balance_work() {
        if (auto runs = better_runs(ranks_, *model_, population_.generation(0), work_))
            deal(std::move(*runs));
    }

    void move() {
        auto& particles = population_.generation(0);
        on_the_fly_.begin(a_, settings_.particles * kernel_.moves());
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                const auto derivative = particles.of_block(derivatives_, b);
                Index accepted = 0;
                work_.time(b, [&] {
                    accepted = kernel_.move(*model_, particles.block(b), a_,
                                            block_streams(particles, b, settings_.seed, t_), derivative);
                });
                on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), derivative, accepted);
            }
        });
    }

    void size_buffers() {
        increments_.resize(population_.generation(0).log_weights().size());
        derivatives_.resize(increments_.size());
    }

    void record(bool resampled) {
        on_the_fly_.flush(ranks_, settings_.particles, log_ratio_at_resampling_, kernel_.accepts(), trace_);
        if (t_ > 0)
            trace_.ess.back() = ess_; // of the weighting; after resampling it would always be M
        trace_.resampled.push_back(resampled ? 1 : 0);
        trace_.eves.push_back(n_eves_);
        if constexpr (model::HasLinearPath<M>) {
            const auto& particles = population_.generation(0);
            power_posterior_.add(ranks_, a_, trace_.mean_u.back(), trace_.variance_u.back(), particles.log_weights(),
                                 derivatives_, particles.eves(), settings_.particles);
        }
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const M> model_;
    std::variant<path::Schedule, AdaptiveSchedule> schedule_;
    Kernel kernel_;
    PopulationSettings settings_;
    SmcSettings smc_settings_;
    population::Population<Block> population_;
    Index t_ = 0;
    double a_ = 0;
    double log_ratio_ = 0;
    double log_ratio_at_resampling_ = 0;
    double ess_ = 0;
    Index n_resamplings_ = 0;
    Index resamplings_before_end_ = 0;
    Index n_eves_ = 0;
    std::vector<double> final_eve_weights_;
    Trace trace_;
    OnTheFly on_the_fly_;
    PowerPosterior power_posterior_;
    population::WorkBalance work_;
    std::vector<double> increments_, derivatives_;
};

} // namespace pearlite::sampler
