#include "algorithm/smc/smc.hpp"

#include "algorithm/common/bridge_at_end.hpp"
#include "algorithm/common/streams.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::algorithm {

Smc::Smc(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, path::Temperatures schedule,
         const kernel::Kernel& kernel, const PopulationSettings& settings, const SmcSettings& smc_settings)
    : TemperedPopulation(ranks, std::move(target), std::move(schedule), kernel, settings),
      smc_settings_(smc_settings),
      watch_(target_, true),
      work_(ranks, smc_settings.balance) {
    if (target_->path_is_linear())
        power_posterior_.emplace(ranks_, settings.particles);
}

void Smc::begin() {
    TemperedPopulation::begin();
    n_eves_ = settings_.particles;
    log_sum_ = std::log(static_cast<double>(settings_.particles));
    evaluations_ = static_cast<double>(settings_.particles);
    record_start();
}

void Smc::draw_block(Index b) {
    work_.time(b, [&] { TemperedPopulation::draw_block(b); });
}

void Smc::step() {
    if (starts_.is_looking()) {
        if (find_starts()) {
            flush(); // the record of the draws that had no weight
            log_ratio_at_resampling_ = log_ratio_;
            log_sum_ = std::log(static_cast<double>(settings_.particles));
            evaluations_ += static_cast<double>(starts_.evaluations());
            record_start();
        }
        return;
    }
    const auto weights = weight_next();
    largest_.of_all = weights.log_max;
    log_sum_ = weights.log_sum;
    auto& particles = population_.generation(0);
    log_ratio_ = log_ratio_at_resampling_ + weights.log_mean;
    if (finished()) { // errors are read off before any resampling that follows the last weighting
        resamplings_before_end_ = n_resamplings_;
        final_families_ = population::family_weights(ranks_, particles.layout(), particles.log_weights(), families());
    }
    kernel_->adapt(ranks_, particles, t_, &weights);
    const bool resample = weights.ess < smc_settings_.ess_threshold * static_cast<double>(settings_.particles);
    auto failure = resample ? resample_particles(weights.log_max) : nullptr;
    balance_work();
    move(std::move(failure));
    record(resample);
    if (finished()) {
        flush();
        increments_.clear();
        increments_.shrink_to_fit(); // results take memory of their own
    }
}

void Smc::flush() {
    if (!power_posterior_ || !power_posterior_->waits())
        return;
    auto magnitudes = power_posterior_->magnitudes();
    ranks_.max(std::span(magnitudes));
    power_posterior_->settle(magnitudes, families());
}

Progress Smc::progress() const {
    auto progress = progress_of(settings_.particles * kernel_->moves());
    progress.likelihoods = static_cast<Index>(evaluations_); // for the starts and for every proposal
    progress.work = work_.account();
    return progress;
}

estimator::Estimate Smc::product_estimate(const population::FamilyWeights& families, Index resamplings) const {
    auto estimate = estimator::single_run_estimate(log_ratio_, families, static_cast<double>(settings_.particles),
                                                   static_cast<int>(resamplings),
                                                   smc_settings_.resampling == population::Resampling::multinomial);
    if (has_equal_weights())
        estimate.set_flat(log_ratio_);
    add_independent(estimate, 0, starts_.variance());
    return estimate;
}

bool Smc::has_equal_weights() const {
    const auto n = static_cast<double>(settings_.particles);
    return t_ > 0 && n_resamplings_ == 0 && std::ranges::all_of(trace_.ess, [n](double ess) { return ess == n; });
}

LogRatioSoFar Smc::log_ratio_so_far() {
    if (t_ == 0)
        return {};
    const auto& particles = population_.generation(0);
    const auto shares = population::family_weights(ranks_, particles.layout(), particles.log_weights(), families());
    return {log_ratio_, product_estimate(shares, n_resamplings_).standard_error};
}

Outcome Smc::outcome() const {
    auto outcome = outcome_of({product_estimate(final_families_, resamplings_before_end_)});
    if (can_bridge_at_end(*target_))
        add_bridge(outcome.log_ratio, bridge());
    if (power_posterior_) {
        auto others = power_posterior_->estimates(ranks_, n_eves_);
        for (auto& other : others)
            add_independent(other, starts_.log_share(), starts_.variance());
        outcome.log_ratio.insert(outcome.log_ratio.end(), others.begin(), others.end());
    }
    judge_likelihood(outcome.log_ratio.front().standard_error, outcome);
    return outcome;
}

const estimator::Estimate& Smc::bridge() const {
    if (!bridge_)
        bridge_ =
            bridge_at_end(ranks_, *target_, population_.generation(0), a_, families(), log_ratio_, settings_.seed);
    return *bridge_;
}

void Smc::deal(std::vector<Index> first_blocks) {
    flush();
    deal_blocks(ranks_, *target_, population_, std::move(first_blocks));
    families_.reset();
    size_buffers();
}

void Smc::fields(Fields& f) {
    position_fields(f);
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
    group(f, "trace", trace_);
    if (power_posterior_)
        group(f, "power_posterior", *power_posterior_);
    group(f, "kernel", *kernel_);
    if (f.is_reading()) {
        bridge_.reset();
        size_buffers();
        parallel::together(ranks_, [&] { prepare(); });
        const auto& particles = population_.generation(0);
        families_.emplace(ranks_, particles.size(), particles.eves()); // ContractViolation if Eves are no particles
    }
}

void Smc::prepare() {
    prepare_blocks(*target_, population_.generation(0));
}

std::exception_ptr Smc::resample_particles(double log_max) {
    auto& particles = population_.generation(0);
    const auto numbers =
        population::offspring(ranks_, particles.layout(), particles.number(), particles.log_weights(),
                              smc_settings_.resampling, settings_.seed, static_cast<std::uint32_t>(t_), {}, log_max);
    population::relocate(ranks_, particles, numbers, population_.particle_bytes());
    auto failure = parallel::failure_of([&] { prepare(); });
    families_.reset();
    log_ratio_at_resampling_ = log_ratio_;
    log_sum_ = std::log(static_cast<double>(settings_.particles)); // equal weights
    largest_ = {};
    ++n_resamplings_;
    return failure;
}

void Smc::balance_work() {
    if (auto runs = better_runs(ranks_, *target_, population_, work_))
        deal(std::move(*runs));
}

void Smc::move(std::exception_ptr failure) {
    auto& particles = population_.generation(0);
    const Index blocks = particles.local_blocks();
    if (!failure)
        failure = parallel::failure_of([&] {
            for (Index b = 0; b < blocks && watch_.watches(particles, b); ++b)
                watch_.remember(particles, b, a_);
        });
    accepted_.assign(at(blocks), 0);
    Index made = 0;
    for (bool again = true; again;) {
        on_the_fly_.drop();
        const Index moves = kernel_->moves() - made;
        std::array<std::int64_t, 2> counts{0, families().surviving_here()}; // accepted in this round; Eves
        if (!failure)
            failure = parallel::failure_of([&] {
                counts[0] = move_once();
                sum_up(kernel_->moves());
            });
        const auto sums = on_the_fly_.sum(ranks_, largest_, watch_.n_sums(), counts, failure);
        n_eves_ = counts[1];
        made = kernel_->moves();
        again = kernel_->tunes() && kernel_->tune(motion_of_round(sums, counts[0], moves), log_weight_sd());
        if (!again)
            on_the_fly_.append(sums, largest_, settings_.particles, log_ratio_at_resampling_, kernel_->accepts(),
                               trace_);
    }
    evaluations_ += static_cast<double>(settings_.particles * made) * kernel_->evaluations_per_move();
}

Index Smc::move_once() {
    auto& particles = population_.generation(0);
    Index all_accepted = 0;
    for (Index b = 0; b < particles.local_blocks(); ++b)
        work_.time(b, [&] {
            const Index accepted =
                kernel_->move(particles.block(b), a_, block_streams(particles, b, settings_.seed, t_),
                              particles.of_block(derivatives_, b));
            accepted_[at(b)] += accepted;
            all_accepted += accepted;
        });
    return all_accepted;
}

void Smc::sum_up(Index moves) {
    auto& particles = population_.generation(0);
    on_the_fly_.begin(a_, moves, settings_.particles);
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto log_weights = particles.of_block(particles.log_weights(), b);
        const auto derivatives = particles.of_block(derivatives_, b);
        on_the_fly_.add_block(log_weights, derivatives, accepted_[at(b)],
                              watch_.watches(particles, b)
                                  ? watch_.compare(particles, b, log_weights, derivatives, kernel_->shape())
                                  : BlockMotion{});
    }
}

kernel::Motion Smc::motion_of_round(const OnTheFly::Sums& sums, Index accepted, Index moves) const {
    auto motion = sums.motion();
    if (kernel_->accepts())
        motion.acceptance = static_cast<double>(accepted) / static_cast<double>(settings_.particles * moves);
    return motion;
}

double Smc::log_weight_sd() const {
    return target_->path_is_linear() ? (a_ - trace_.inverse_temperature.back()) * std::sqrt(trace_.variance_u.back())
                                     : kernel::Motion::nan;
}

const population::Families& Smc::families() const {
    if (!families_) {
        const auto& particles = population_.generation(0);
        constexpr bool are_slots = true;
        families_.emplace(ranks_, particles.size(), particles.eves(), are_slots);
    }
    return *families_;
}

std::vector<double> Smc::maxima_of_weighting() const {
    const auto& particles = population_.generation(0);
    std::vector<double> maxima{log_zero};
    for (Index b = 0; b < particles.local_blocks() && watch_.watches(particles, b); ++b)
        maxima[0] = std::max(maxima[0], std::ranges::max(particles.of_block(particles.log_weights(), b)));
    if (power_posterior_ && power_posterior_->waits())
        std::ranges::copy(power_posterior_->magnitudes(), std::back_inserter(maxima));
    return maxima;
}

void Smc::take_maxima_of_weighting(std::span<const double> largest) {
    largest_.of_watched = largest[0];
    if (largest.size() > 1)
        power_posterior_->settle(largest.subspan(1), families());
}

void Smc::record_start() {
    on_the_fly_.flush(ranks_, settings_.particles, log_ratio_at_resampling_, kernel_->accepts(), trace_);
    for (auto* families : {&trace_.energy_families, &trace_.unmoved_families}) // nothing has moved
        families->resize(trace_.inverse_temperature.size(), std::numeric_limits<double>::quiet_NaN());
    record(false);
}

void Smc::record(bool resampled) {
    if (t_ > 0)
        trace_.ess.back() = ess_; // of the weighting; after resampling it would always be M
    trace_.resampled.push_back(resampled ? 1 : 0);
    trace_.eves.push_back(n_eves_);
    if (power_posterior_) {
        const auto& particles = population_.generation(0);
        power_posterior_->add(a_, trace_.mean_u.back(), trace_.variance_u.back(), particles.log_weights(), log_sum_,
                              derivatives_);
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
