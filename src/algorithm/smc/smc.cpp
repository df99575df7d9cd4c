#include "algorithm/smc/smc.hpp"

#include "algorithm/common/streams.hpp"
#include "algorithm/smc/likelihood_noise.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "estimator/likelihood_cost.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/detail/density_path.hpp"
#include "population/generation.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace pearlite::algorithm {

Smc::Smc(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, path::Temperatures schedule,
         const kernel::Kernel& kernel, const PopulationSettings& settings, const SmcSettings& smc_settings)
    : ranks_(ranks),
      target_(std::move(target)),
      schedule_(std::move(schedule)),
      kernel_(kernel.clone()),
      settings_(settings),
      smc_settings_(smc_settings),
      population_(population_of(ranks_, target_)),
      watch_(target_),
      work_(ranks, smc_settings.balance) {
    population_.append(settings.particles, settings.block);
    if (target_->path_is_linear())
        power_posterior_.emplace(ranks_, settings.particles);
    size_buffers();
}

void Smc::begin() {
    auto& particles = population_.generation(0);
    on_the_fly_.begin(0, 0, settings_.particles);
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = particles.block(b);
            work_.time(b, [&] { target_->draw_start(block, block_streams(particles, b, settings_.seed, 0)); });
            target_->path_derivative(block, 0, particles.of_block(derivatives_, b));
            on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), particles.of_block(derivatives_, b),
                                  0);
        }
    });
    n_eves_ = settings_.particles;
    evaluations_ = static_cast<double>(settings_.particles);
    record(false);
}

void Smc::step() {
    PEARLITE_EXPECTS(!finished());
    ++t_;
    auto& particles = population_.generation(0);
    const double from = a_;
    a_ = next_inverse_temperature();

    reweight(from, a_);
    const auto weights = population::summarise(ranks_, particles.layout(), particles.log_weights());
    if (weights.log_max == log_zero)
        throw NumericalError("no particle has a positive weight at step " + std::to_string(t_));
    log_ratio_ = log_ratio_at_resampling_ + weights.log_mean;
    ess_ = weights.ess;
    if (finished()) { // errors are read off before any resampling that follows the last weighting
        resamplings_before_end_ = n_resamplings_;
        final_families_ = population::family_weights(ranks_, particles.layout(), particles.log_weights(), families());
    }
    kernel_->adapt(ranks_, particles, t_);
    const bool resample = weights.ess < smc_settings_.ess_threshold * static_cast<double>(settings_.particles);
    if (resample)
        resample_particles();
    balance_work();
    move();
    record(resample);
}

Progress Smc::progress() const {
    Progress progress{t_, schedule_.steps(), a_, ess_, log_ratio_};
    progress.inverse_temperature_end = schedule_.end();
    progress.updates_per_step = settings_.particles * kernel_->moves();
    progress.likelihoods = static_cast<Index>(evaluations_); // for the starts and for every proposal
    progress.work = work_.account();
    return progress;
}

Found Smc::found() {
    Found found;
    found.trace = &trace_;
    found.population = &population_;
    found.is_unbiased = true;
    found.kernel = kernel_.get();
    found.prediction_seed = settings_.seed;
    return found;
}

estimator::Estimate Smc::product_estimate(const population::FamilyWeights& families, Index resamplings) const {
    return estimator::single_run_estimate(log_ratio_, families, static_cast<double>(settings_.particles),
                                          static_cast<int>(resamplings),
                                          smc_settings_.resampling == population::Resampling::multinomial);
}

LogRatioSoFar Smc::log_ratio_so_far() {
    if (t_ == 0)
        return {};
    const auto& particles = population_.generation(0);
    const auto shares = population::family_weights(ranks_, particles.layout(), particles.log_weights(), families());
    return {log_ratio_, product_estimate(shares, n_resamplings_).standard_error};
}

Outcome Smc::outcome() const {
    Outcome outcome;
    outcome.ess = ess_;
    outcome.log_ratio = {product_estimate(final_families_, resamplings_before_end_)};
    if (ess_ < 20)
        outcome.warnings.emplace_back("the effective sample size of the final weights is below 20: use more particles, "
                                      "or more temperatures");
    if (power_posterior_) {
        auto others = power_posterior_->estimates(ranks_, n_eves_);
        if (others.empty())
            outcome.warnings.emplace_back("the power posterior has no estimate: the first particles include one of "
                                          "likelihood zero, or of infinite log f_1/f_0");
        outcome.log_ratio.insert(outcome.log_ratio.end(), others.begin(), others.end());
    }
    if (const auto* path = target_->offers<path::DensityPath>(); path && path->is_estimated()) {
        const double sigma2 = likelihood_log_variance(ranks_, *path, population_.generation(0), settings_.seed);
        outcome.diagnostics = noise_diagnostics(sigma2, estimator::noise_factor(trace_.inverse_temperature),
                                                outcome.log_ratio.front().standard_error, settings_.particles);
        judge_noise(sigma2, outcome);
    }
    return outcome;
}

void Smc::deal(std::vector<Index> first_blocks) {
    deal_blocks(ranks_, *target_, population_, std::move(first_blocks));
    families_.reset();
    size_buffers();
}

void Smc::fields(Fields& f) {
    f("step", t_);
    f("inverse_temperature", a_);
    PEARLITE_EXPECTS(t_ >= 0 && (schedule_.steps() == 0 || t_ <= schedule_.steps()));
    PEARLITE_EXPECTS(a_ >= 0 && a_ <= schedule_.end());
    f("log_ratio", log_ratio_);
    f("log_ratio_at_resampling", log_ratio_at_resampling_);
    f("ess", ess_);
    f("resamplings", n_resamplings_);
    f("resamplings_before_end", resamplings_before_end_);
    f("eves", n_eves_);
    f("evaluations", evaluations_);
    f("final_families", final_families_.families);
    f("final_families_squares", final_families_.squares);
    f("final_families_cubes", final_families_.cubes);
    f("final_families_fourth_powers", final_families_.fourth_powers);
    population_.fields(f);
    f.enter("trace");
    trace_.fields(f);
    f.leave();
    if (power_posterior_)
        group(f, "power_posterior", *power_posterior_);
    f.enter("kernel");
    kernel_->fields(f);
    f.leave();
    if (f.is_reading()) {
        families_.reset();
        size_buffers();
        parallel::together(ranks_, [&] { prepare(); });
        families(); // ContractViolation if ancestors in the file are not particles of the population
    }
}

void Smc::prepare() {
    prepare_blocks(*target_, population_.generation(0));
}

double Smc::next_inverse_temperature() {
    return schedule_.next(t_, a_, trace_.variance_u.back(), [&](double to) { return conditional_ess(a_, to); });
}

double Smc::conditional_ess(double from, double to) {
    const auto& particles = population_.generation(0);
    parallel::together(ranks_, [&] { compute_increments(from, to); });
    return population::conditional_ess(ranks_, particles.layout(), particles.log_weights(), increments_);
}

void Smc::compute_increments(double from, double to) {
    auto& particles = population_.generation(0);
    std::fill(increments_.begin(), increments_.end(), 0.0);
    for (Index b = 0; b < particles.local_blocks(); ++b)
        target_->add_log_ratio(particles.block(b), from, to, particles.of_block(increments_, b));
}

void Smc::reweight(double from, double to) {
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

void Smc::resample_particles() {
    auto& particles = population_.generation(0);
    const auto numbers =
        population::offspring(ranks_, particles.layout(), particles.number(), particles.log_weights(),
                              smc_settings_.resampling, settings_.seed, static_cast<std::uint32_t>(t_));
    population::relocate(ranks_, particles, numbers, population_.particle_bytes());
    parallel::together(ranks_, [&] { prepare(); });
    families_.reset();
    log_ratio_at_resampling_ = log_ratio_;
    ++n_resamplings_;
    n_eves_ = families().surviving();
}

void Smc::balance_work() {
    if (auto runs = better_runs(ranks_, *target_, population_, work_))
        deal(std::move(*runs));
}

void Smc::move() {
    auto& particles = population_.generation(0);
    const Index blocks = particles.local_blocks();
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < blocks && watch_.watches(particles, b); ++b)
            watch_.remember(particles, b, a_);
    });
    accepted_.assign(static_cast<std::size_t>(blocks), 0);
    std::vector<BlockMotion> motions;
    Index made = 0;
    for (bool again = true; again;) {
        const Index moves = kernel_->moves() - made, accepted = move_once();
        made = kernel_->moves();
        motions.clear();
        for (Index b = 0; b < blocks && watch_.watches(particles, b); ++b)
            motions.push_back(watch_.compare(particles, b, particles.of_block(particles.log_weights(), b),
                                             particles.of_block(derivatives_, b), kernel_->shape()));
        again = kernel_->tunes() && kernel_->tune(round_motion(motions, accepted, moves), log_weight_sd());
    }
    evaluations_ += static_cast<double>(settings_.particles * made) * kernel_->evaluations_per_move();
    on_the_fly_.begin(a_, made, settings_.particles);
    motions.resize(static_cast<std::size_t>(blocks));
    for (Index b = 0; b < blocks; ++b)
        on_the_fly_.add_block(particles.of_block(particles.log_weights(), b), particles.of_block(derivatives_, b),
                              accepted_[at(b)], std::move(motions[at(b)]));
}

Index Smc::move_once() {
    auto& particles = population_.generation(0);
    Index all_accepted = 0;
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            work_.time(b, [&] {
                const Index accepted =
                    kernel_->move(particles.block(b), a_, block_streams(particles, b, settings_.seed, t_),
                                  particles.of_block(derivatives_, b));
                accepted_[at(b)] += accepted;
                all_accepted += accepted;
            });
    });
    return all_accepted;
}

kernel::Motion Smc::round_motion(std::span<const BlockMotion> motions, Index accepted, Index moves) const {
    auto motion = motion_of(ranks_, motions, watch_.n_sums());
    if (kernel_->accepts())
        motion.acceptance = static_cast<double>(ranks_.sum(static_cast<std::int64_t>(accepted))) /
                            static_cast<double>(settings_.particles * moves);
    return motion;
}

double Smc::log_weight_sd() const {
    return target_->path_is_linear() ? (a_ - trace_.inverse_temperature.back()) * std::sqrt(trace_.variance_u.back())
                                     : kernel::Motion::nan;
}

void Smc::size_buffers() {
    increments_.resize(population_.generation(0).log_weights().size());
    derivatives_.resize(increments_.size());
}

const population::Families& Smc::families() {
    if (!families_) {
        const auto& particles = population_.generation(0);
        families_.emplace(ranks_, particles.size(), particles.eves());
    }
    return *families_;
}

void Smc::record(bool resampled) {
    on_the_fly_.flush(ranks_, settings_.particles, log_ratio_at_resampling_, kernel_->accepts(), trace_);
    if (t_ > 0)
        trace_.ess.back() = ess_; // of the weighting; after resampling it would always be M
    trace_.resampled.push_back(resampled ? 1 : 0);
    trace_.eves.push_back(n_eves_);
    if (power_posterior_) {
        const auto& particles = population_.generation(0);
        power_posterior_->add(ranks_, particles.layout(), a_, trace_.mean_u.back(), trace_.variance_u.back(),
                              particles.log_weights(), derivatives_, families());
    }
}

std::optional<std::vector<Index>> better_runs(const parallel::Communicator& ranks, const model::Target& target,
                                              const population::Population& population, population::WorkBalance& work) {
    if (!work.is_due())
        return {};
    const auto& particles = population.generation(0);
    std::vector<double> declared;
    if (const auto* cost = target.offers<model::BlockCost>())
        parallel::together(ranks, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b)
                declared.push_back(cost->cost(particles.block(b)));
        });
    const auto block_bytes = population.particle_bytes() * static_cast<std::size_t>(particles.layout().block());
    return work.better_runs(particles.layout(), declared, block_bytes);
}

void deal_blocks(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                 std::vector<Index> first_blocks) {
    auto& particles = population.generation(0);
    population::deal(ranks, particles, particles.layout().with_runs(std::move(first_blocks)),
                     population.particle_bytes(), population.make_block(),
                     [&](Block& block) { target.prepare(block); });
}

} // namespace pearlite::algorithm
