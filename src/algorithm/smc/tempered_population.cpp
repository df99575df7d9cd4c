#include "algorithm/smc/tempered_population.hpp"

#include "algorithm/common/streams.hpp"
#include "algorithm/smc/likelihood_noise.hpp"
#include "core/log_space.hpp"
#include "estimator/likelihood_cost.hpp"
#include "parallel/agreement.hpp"
#include "path/next_temperature.hpp"
#include "population/conditional_ess.hpp"

namespace pearlite::algorithm {

TemperedPopulation::TemperedPopulation(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                                       path::Temperatures schedule, const kernel::Kernel& kernel,
                                       const PopulationSettings& settings, Index blocks_together)
    : ranks_(ranks),
      target_(std::move(target)),
      schedule_(std::move(schedule)),
      kernel_(kernel.clone()),
      settings_(settings),
      population_(population_of(ranks_, target_, blocks_together)),
      starts_(ranks_, target_, settings.seed, settings.most_prior_draws) {
    population_.append(settings.particles, settings.block);
    size_buffers();
}

void TemperedPopulation::begin() {
    const auto& particles = population_.generation(0);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            draw_block(b);
    });
    starts_.begin(particles, derivatives_);
    open_trace();
}

bool TemperedPopulation::find_starts() {
    auto& particles = population_.generation(0);
    starts_.step(particles);
    if (starts_.is_looking())
        return false;
    log_ratio_ = starts_.log_share();
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            target_->path_derivative(particles.block(b), 0, particles.of_block(derivatives_, b));
    });
    trace_ = {};
    open_trace();
    return true;
}

void TemperedPopulation::open_trace() {
    const auto& particles = population_.generation(0);
    on_the_fly_.begin(0, 0, settings_.particles);
    for (Index b = 0; b < particles.local_blocks(); ++b)
        on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), particles.of_block(derivatives_, b), 0);
}

void TemperedPopulation::draw_block(Index b) {
    auto& particles = population_.generation(0);
    auto& block = particles.block(b);
    target_->draw_start(block, block_streams(particles, b, settings_.seed, 0));
    target_->path_derivative(block, 0, particles.of_block(derivatives_, b));
}

population::WeightSummary TemperedPopulation::weight_next() {
    PEARLITE_EXPECTS(!finished() && !starts_.is_looking());
    ++t_;
    const auto& particles = population_.generation(0);
    const double from = a_;
    a_ = next_inverse_temperature();
    const auto failure = reweight(from, a_);
    auto maxima = maxima_of_weighting();
    const auto weights = population::summarise(ranks_, particles.layout(), particles.log_weights(), failure, maxima);
    if (weights.log_max == log_zero)
        throw NumericalError("no particle has a positive weight at step " + std::to_string(t_));
    take_maxima_of_weighting(maxima);
    ess_ = weights.ess;
    return weights;
}

double TemperedPopulation::next_inverse_temperature() {
    if (const auto* given = std::get_if<path::Schedule>(&schedule_))
        return (*given)[t_];
    const auto& particles = population_.generation(0);
    const auto ess = [&](std::span<const double> to) {
        std::vector<std::vector<double>> increments;
        const auto failure = parallel::failure_of([&] {
            for (const double b : to) {
                find_increments(a_, b);
                increments.push_back(increments_);
            }
        });
        increments.resize(to.size(), increments_);
        return population::conditional_ess_of_steps(ranks_, particles.layout(), particles.log_weights(), increments,
                                                    failure);
    };
    return path::next_of(std::get<path::AdaptiveSchedule>(schedule_), a_, trace_.variance_u.back(), ess,
                         levels_of_bisection());
}

int TemperedPopulation::levels_of_bisection() const {
    // A call of so many levels waits for two round trips, some 0.1 ms, and takes 2^levels - 1 times the work of one.
    constexpr int most = 4;
    constexpr Index cheap = 4096; // particles on a rank, whose weights to one temperature take some 20 us
    if (ranks_.size() == 1 || !target_->path_is_linear())
        return 1;
    int levels = most;
    while (levels > 1 && settings_.particles / ranks_.size() > cheap << 2 * (most - levels))
        --levels;
    return levels;
}

void TemperedPopulation::find_increments(double from, double to) {
    const auto& particles = population_.generation(0);
    std::fill(increments_.begin(), increments_.end(), 0.0);
    for (Index b = 0; b < particles.local_blocks(); ++b)
        target_->add_log_ratio(particles.block(b), from, to, particles.of_block(increments_, b));
}

std::exception_ptr TemperedPopulation::reweight(double from, double to) {
    auto& particles = population_.generation(0);
    return parallel::failure_of([&] {
        find_increments(from, to);
        auto& log_w = particles.log_weights();
        for (std::size_t i = 0; i < log_w.size(); ++i)
            log_w[i] += increments_[i];
        for (Index b = 0; b < particles.local_blocks(); ++b)
            require_numbers(particles.of_block(log_w, b), particles, b, t_);
    });
}

Progress TemperedPopulation::progress_of(Index updates_per_step) const {
    Progress progress{t_, schedule_.steps(), a_, ess_, log_ratio_};
    progress.inverse_temperature_end = schedule_.end();
    progress.updates_per_step = updates_per_step;
    progress.stage = starts_.progress();
    return progress;
}

Found TemperedPopulation::found() {
    return {.trace = &trace_,
            .population = &population_,
            .is_unbiased = true,
            .kernel = kernel_.get(),
            .prediction_seed = settings_.seed};
}

Outcome TemperedPopulation::outcome_of(std::vector<estimator::Estimate> log_ratio) const {
    Outcome outcome;
    outcome.ess = ess_;
    outcome.log_ratio = std::move(log_ratio);
    if (ess_ < 20)
        outcome.warnings.emplace_back("the effective sample size of the final weights is below 20: use more particles, "
                                      "or more temperatures");
    return outcome;
}

void TemperedPopulation::judge_likelihood(const std::optional<double>& standard_error, Outcome& outcome) const {
    const auto* path = target_->offers<path::DensityPath>();
    if (!path || !path->is_estimated())
        return;
    const double sigma2 = likelihood_log_variance(ranks_, *path, population_.generation(0), settings_.seed);
    outcome.diagnostics = noise_diagnostics(sigma2, estimator::noise_factor(trace_.inverse_temperature), standard_error,
                                            settings_.particles);
    judge_noise(sigma2, outcome);
}

void TemperedPopulation::position_fields(Fields& f) {
    f("step", t_);
    f("inverse_temperature", a_);
    PEARLITE_EXPECTS(t_ >= 0 && (schedule_.steps() == 0 || t_ <= schedule_.steps()));
    PEARLITE_EXPECTS(a_ >= 0 && a_ <= schedule_.end());
    f("log_ratio", log_ratio_);
    starts_.fields(f, population_.generation(0));
}

void TemperedPopulation::size_buffers() {
    increments_.resize(population_.generation(0).log_weights().size());
    derivatives_.resize(increments_.size());
}

} // namespace pearlite::algorithm
