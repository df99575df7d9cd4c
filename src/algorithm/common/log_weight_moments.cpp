#include "algorithm/common/log_weight_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pearlite::algorithm {

LogRatioSoFar independent_log_ratio(const Trace& trace, Index n) {
    constexpr double least_ess = 5;
    LogRatioSoFar found{trace.log_ratio.back(), {}};
    if (const double ess = trace.ess.back(); ess >= least_ess)
        found.standard_error = std::sqrt(std::max(0.0, 1 / ess - 1 / static_cast<double>(n)));
    return found;
}

LogWeightMoments log_weight_moments(const population::Shards& numbers, double sign) {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    const auto n = static_cast<double>(numbers.size());
    if (!numbers.all([](double x) { return std::isfinite(x); }))
        return {n, not_a_number, not_a_number};
    const double mean = population::sums_over<1>(numbers, [](double x) { return std::array{x}; })[0] / n;
    const auto square =
        population::sums_over<1>(numbers, [&](double x) { return std::array{(x - mean) * (x - mean)}; })[0];
    return {n, sign * mean, square / (n - 1)};
}

} // namespace pearlite::algorithm
