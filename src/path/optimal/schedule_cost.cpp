#include "path/optimal/schedule_cost.hpp"

#include "path/optimal/path_length.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::path {

// finite_steps: with autocorrelations r^t, r = (tau - 1)/(tau + 1), log w = sum D_{k+1} u(x_k) has the variance
// V = sum_k [D_{k+1}^2 g_k + 2 D_{k+1} sqrt(g_k) M_k], where M_k = r_k (M_{k-1} + D_k sqrt(g_{k-1})) sums the
// covariances of u(x_k) with the terms before it, M_0 = 0.
ScheduleCost cost_of(const Schedule& schedule, const PathProfile& profile) {
    const auto& b = profile.inverse_temperature;
    std::vector<double> with_tau;
    for (std::size_t i = 0; i < b.size(); ++i)
        with_tau.push_back(profile.variance_u[i] * profile.tau[i]);
    const Integral variance(b, profile.variance_u), friction(b, with_tau);
    const auto g = log_interpolated(b, profile.variance_u, schedule.points());
    const auto tau = log_interpolated(b, profile.tau, schedule.points());
    ScheduleCost cost;
    double memory = 0, variance_before = 0, friction_before = 0;
    for (Index k = 1; k <= schedule.steps(); ++k) {
        const auto now = static_cast<std::size_t>(k), before = now - 1;
        const double step = schedule[k] - schedule[k - 1];
        const double variance_now = variance.up_to(schedule[k]), friction_now = friction.up_to(schedule[k]);
        cost.perfect_mixing += step * (variance_now - variance_before);
        cost.measured_mixing += step * (friction_now - friction_before);
        variance_before = variance_now;
        friction_before = friction_now;

        const double sd = std::sqrt(g[before]);
        cost.finite_steps += step * sd * (step * sd + 2 * memory);
        memory = (tau[now] - 1) / (tau[now] + 1) * (memory + step * sd);
        cost.lag = std::max(cost.lag, step * std::sqrt(g[now]) * (tau[now] - 1) / 2);
    }
    return cost;
}

double least_cost(const PathProfile& profile, bool with_tau) {
    const auto limit = profile.speed_limit(with_tau);
    const double length = Integral(profile.inverse_temperature, limit).total();
    return length * length;
}

} // namespace pearlite::path
