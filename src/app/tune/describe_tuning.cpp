#include "app/tune/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pearlite::app {

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
