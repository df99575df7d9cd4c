#include "app/tune/tuning.hpp"

#include <fmt/format.h>

#include <set>

namespace pearlite::app {

namespace {

/// Points that represent the neighbourhood of the mode, and the candidates of which they are the best.
constexpr Index n_points = 8, n_candidates = 16;
constexpr Index estimates_for_gamma2 = 256, estimates_for_table = 96;
/// At a larger variance log estimates are not normal, and N Var is not constant.
constexpr double largest_variance_for_gamma2 = 1;
constexpr Index most_particles = 1'000'000;
constexpr std::uint64_t most_pilots = 3;
/// The conditional ESS of an adaptive schedule that only has to reach the end.
constexpr double coarse_conditional_ess = 0.8;

/// The number of particles that the model sets when asked for n, limited to 1 .. most_particles.
Index rounded(TunableLikelihood& likelihood, double n) {
    const auto asked = static_cast<Index>(std::ceil(std::clamp(n, 1.0, static_cast<double>(most_particles))));
    likelihood.set_particles(asked);
    return likelihood.particles();
}

LikelihoodPilotSettings pilot_settings(const algorithm::AnnealingPlan& plan, const TuningSettings& settings,
                                       const random::Seed& seed) {
    const auto& wanted = plan.temperatures();
    path::AdaptiveSchedule schedule{wanted.end, coarse_conditional_ess};
    if (!wanted.fixed) {
        schedule.conditional_ess = wanted.conditional_ess;
        schedule.log_weight_sd = wanted.log_weight_sd.value_or(schedule.log_weight_sd);
    }
    constexpr Index most_moves = 20; // an automatic number would be that of an estimate's size yet to be chosen
    auto moves = plan.kernel().moves;
    moves.most = std::min(moves.most, most_moves);
    return {.population = {settings.pilot_particles, plan.run().block, seed}, .moves = moves, .schedule = schedule};
}

/// Runs pilots until their estimates are precise enough for moves at a = 1; leaves the likelihood at a size whose log
/// variance is about 1 or less.
struct Surveyed {
    LikelihoodPilot pilot;
    Index pilot_particles;
    NearMode near_mode;
    LogVariance variance;
};
Surveyed survey(const parallel::Communicator& ranks, TunableLikelihood& likelihood,
                const algorithm::AnnealingPlan& plan, const TuningSettings& settings) {
    const Measurement measurement(ranks, likelihood, plan.run().seed);
    for (std::uint64_t attempt = 0;; ++attempt) {
        const Index n = likelihood.particles();
        settings.report(
            fmt::format("pilot: {} particles, each estimate of the likelihood from {}", settings.pilot_particles, n));
        Surveyed found{
            likelihood.pilot(ranks, pilot_settings(plan, settings, measurement.seed_of_pilot(attempt))), n, {}, {}};
        found.near_mode = measurement.best_points(found.pilot, plan.temperatures().end, n_candidates, n_points);
        found.variance = measurement.log_variance(found.near_mode.points, estimates_for_gamma2);
        const double first = found.variance.mean;
        while (found.variance.mean > largest_variance_for_gamma2) {
            if (likelihood.particles() >= most_particles)
                throw InputError(fmt::format("the log of the estimated likelihood varies by {:.3g} near the mode even "
                                             "with {} particles: no number of them can be advised",
                                             found.variance.mean, likelihood.particles()));
            const double factor =
                std::isfinite(found.variance.mean) ? std::clamp(2 * found.variance.mean, 2., 64.) : 64;
            rounded(likelihood, factor * static_cast<double>(likelihood.particles()));
            found.variance = measurement.log_variance(found.near_mode.points, estimates_for_gamma2);
        }
        if (first <= estimator::largest_useful_variance || attempt + 1 == most_pilots)
            return found;
    }
}

/// The particles for a log variance. At large variances that of N particles is above gamma^2 / N: then more of them.
Index particles_for(TunableLikelihood& likelihood, const Measurement& measurement, const Matrix& points,
                    const estimator::LikelihoodCost& cost, double variance) {
    Index n = rounded(likelihood, cost.particles(variance));
    for (;;) {
        const double measured = measurement.log_variance(points, estimates_for_table).mean;
        if (measured <= estimator::largest_useful_variance || n >= most_particles)
            return n;
        const double factor = std::clamp(measured / estimator::largest_useful_variance, 1.1, 4.0);
        n = rounded(likelihood, factor * static_cast<double>(n));
    }
}

/// Sizes for the table: half powers of two about the size to be used, and those of special interest.
std::set<Index> sizes_about(TunableLikelihood& likelihood, Index centre, std::initializer_list<Index> others) {
    std::set<Index> sizes(others);
    for (int half_power = -4; half_power <= 4; ++half_power)
        sizes.insert(rounded(likelihood, static_cast<double>(centre) * std::exp2(0.5 * half_power)));
    return sizes;
}

} // namespace

Tuning tune_likelihood(const parallel::Communicator& ranks, TunableLikelihood& likelihood,
                       const algorithm::AnnealingPlan& plan, const TuningSettings& settings) {
    const Index as_configured = likelihood.particles();
    const Surveyed found = survey(ranks, likelihood, plan, settings);
    const auto n = static_cast<double>(likelihood.particles());
    Tuning tuning;
    tuning.mode = found.near_mode.points.col(0);
    tuning.mode = likelihood.quantities(tuning.mode);
    tuning.log_density = found.near_mode.log_density;
    tuning.pilot_particles = found.pilot_particles;
    tuning.pilot_temperatures = found.pilot.schedule.steps();
    tuning.schedule_is_given = plan.schedule() != nullptr;
    tuning.gamma2_standard_error = n * found.variance.standard_error;
    tuning.gamma2_least = n * found.variance.least;
    tuning.gamma2_most = n * found.variance.most;

    settings.report("measuring times");
    Stopwatch stopwatch(ranks, likelihood, found.near_mode.points, plan.run().block);
    tuning.time = stopwatch.line_from(rounded(likelihood, 0.25 * n * found.variance.mean), most_particles);
    tuning.cost = {.gamma2 = n * found.variance.mean,
                   .seconds_base = tuning.time.base,
                   .seconds_per_particle = tuning.time.per_particle,
                   .schedule_tau =
                       estimator::noise_factor((plan.schedule() ? *plan.schedule() : found.pilot.schedule).points())};
    tuning.optimal_variance = tuning.cost.optimal_variance();
    tuning.variance = std::min(tuning.optimal_variance, estimator::largest_useful_variance);
    tuning.optimal_particles = rounded(likelihood, tuning.cost.particles(tuning.optimal_variance));

    settings.report("measuring variances");
    const Measurement measurement(ranks, likelihood, plan.run().seed);
    tuning.particles = particles_for(likelihood, measurement, found.near_mode.points, tuning.cost, tuning.variance);
    for (const Index size :
         sizes_about(likelihood, tuning.particles, {as_configured, tuning.optimal_particles, tuning.particles})) {
        likelihood.set_particles(size);
        tuning.measured.push_back(
            {size, measurement.log_variance(found.near_mode.points, estimates_for_table).mean, stopwatch.seconds()});
    }
    return tuning;
}

namespace {

std::string describe_mode(const Tuning& tuning, const std::vector<std::string>& names) {
    std::string text = "near the mode:";
    for (std::size_t k = 0; k < names.size(); ++k)
        text += fmt::format(" {} = {:.4g}{}", names[k], tuning.mode(static_cast<Index>(k)),
                            k + 1 < names.size() ? "," : "\n");
    return text;
}

std::string describe_costs(const Tuning& tuning) {
    const double least = tuning.cost.at(tuning.optimal_variance);
    const auto relative = [&](double variance, double seconds) {
        return std::exp(tuning.cost.schedule_tau * variance) * seconds / least;
    };
    std::string text = "         N  variance   measured  seconds, one  cost, predicted   measured\n";
    for (const auto& size : tuning.measured) {
        const auto n = static_cast<double>(size.particles);
        const double variance = tuning.cost.gamma2 / n;
        text += fmt::format("{:>10} {:>9.3g} {:>10.3g} {:>13.3g} {:>16.3f} {:>10.3f}{}\n", size.particles, variance,
                            size.variance, size.seconds, tuning.cost.at(variance) / least,
                            relative(size.variance, size.seconds),
                            size.particles == tuning.particles           ? "  <- to be used"
                            : size.particles == tuning.optimal_particles ? "  <- least cost in theory"
                                                                         : "");
    }
    return text;
}

} // namespace

std::string describe(const Tuning& tuning, const std::vector<std::string>& names) {
    const auto& cost = tuning.cost;
    auto text = describe_mode(tuning, names);
    text +=
        fmt::format("gamma^2 = N x variance of the log estimate = {:.4g} +- {:.2g} ({:.3g} to {:.3g} at points near "
                    "the mode)\n",
                    cost.gamma2, tuning.gamma2_standard_error, tuning.gamma2_least, tuning.gamma2_most);
    text += fmt::format("time of an estimate = {:.3g} s + {:.3g} s x N (within {:.0f} % of what was measured)\n",
                        cost.seconds_base, cost.seconds_per_particle, 100 * tuning.time.largest_relative_residual);
    text += fmt::format("tau = sum of squared temperature steps = {:.4g} ({})\n\n", cost.schedule_tau,
                        tuning.schedule_is_given
                            ? "of the schedule"
                            : fmt::format("of the {} adaptive temperatures of a pilot", tuning.pilot_temperatures));
    text += "cost of a given precision, exp(tau variance) (gamma^2 tau_1/variance + tau_0), relative to the least:\n";
    text += describe_costs(tuning);
    text += fmt::format("\noptimal variance {:.4g}, N = {}", tuning.optimal_variance, tuning.optimal_particles);
    if (tuning.particles != tuning.optimal_particles)
        text += fmt::format("; but moves at inverse temperature 1 stick where the variance is above {:.4g}: N = {}",
                            estimator::largest_useful_variance, tuning.particles);
    return text + "\n";
}

} // namespace pearlite::app
