#pragma once
/// A normal density whose precision grows from 1 to 100 in one dimension, with kernels of a given relaxation time: the
/// variance of log w and the excess work of any schedule are known exactly.

#include "path/optimal/profile.hpp"
#include "path/schedule.hpp"

#include <cmath>
#include <functional>

namespace pearlite::path {

/// T(b): the autocorrelation of u at lag t is exp(-t/T). The kernel is x' = rho x + sqrt((1 - rho^2)/lambda) z, with
/// rho^2 = exp(-1/T), since u is a square of x.
using Relaxation = std::function<double(double b)>;

inline double relaxing_precision(double b) {
    return (1 - b) + 100 * b;
}
inline constexpr double relaxing_factor = -99.0 / 2; ///< u = relaxing_factor x^2

inline PathProfile exact_profile(const Relaxation& relaxation, Index n) {
    PathProfile profile;
    for (Index i = 0; i <= n; ++i) {
        const double b = static_cast<double>(i) / static_cast<double>(n), r = std::exp(-1 / relaxation(b));
        profile.inverse_temperature.push_back(b);
        profile.mean_u.push_back(relaxing_factor / relaxing_precision(b));
        profile.variance_u.push_back(2 * std::pow(relaxing_factor / relaxing_precision(b), 2));
        profile.tau.push_back((1 + r) / (1 - r));
    }
    return profile;
}

struct ExactCost {
    double variance = 0, twice_excess_work = 0;
};

/// x_k is normal with mean 0, so that Cov(u_j, u_k) = 2 c^2 Cov(x_j, x_k)^2; covariances decay by rho of each step.
inline ExactCost exact_cost(const Schedule& schedule, const Relaxation& relaxation) {
    double variance_x = 1, mean = 0, memory = 0; // memory: sum of D_j Cov(u_j, u_k) over the earlier j
    ExactCost cost;
    for (Index k = 0; k < schedule.steps(); ++k) {
        if (k > 0) {
            const double rho2 = std::exp(-1 / relaxation(schedule[k]));
            const double before = schedule[k] - schedule[k - 1];
            memory = rho2 * (memory + before * 2 * std::pow(relaxing_factor * variance_x, 2));
            variance_x = rho2 * variance_x + (1 - rho2) / relaxing_precision(schedule[k]);
        }
        const double step = schedule[k + 1] - schedule[k];
        cost.variance += step * (step * 2 * std::pow(relaxing_factor * variance_x, 2) + 2 * memory);
        mean += step * relaxing_factor * variance_x;
    }
    cost.twice_excess_work = 2 * (-0.5 * std::log(100) - mean);
    return cost;
}

} // namespace pearlite::path
