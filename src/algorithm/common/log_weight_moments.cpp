#include "algorithm/common/log_weight_moments.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace pearlite::algorithm {

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
