#include "path/schedule.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pearlite::path {

Schedule::Schedule(std::vector<double> inverse_temperatures) : points_(std::move(inverse_temperatures)) {
    if (points_.size() < 2)
        throw InputError(fmt::format("a schedule needs at least 2 inverse temperatures, not {}", points_.size()));
    if (points_.front() != 0)
        throw InputError(fmt::format("a schedule starts at inverse temperature 0, not {}", points_.front()));
    for (std::size_t k = 1; k < points_.size(); ++k)
        if (!(points_[k] > points_[k - 1]) || !std::isfinite(points_[k]))
            throw InputError(
                fmt::format("a schedule increases strictly: point {} is {} after {}", k, points_[k], points_[k - 1]));
}

namespace {

void require_steps(Index steps, Index least, const char* shape) {
    if (steps < least)
        throw InputError(fmt::format("a {} schedule needs at least {} steps, not {}", shape, least, steps));
}

} // namespace

Schedule linear_schedule(Index steps, double end) {
    require_steps(steps, 1, "linear");
    std::vector<double> points;
    for (Index k = 0; k <= steps; ++k)
        points.push_back(end * (static_cast<double>(k) / static_cast<double>(steps)));
    return Schedule(std::move(points));
}

Schedule geometric_schedule(Index steps, double end, double epsilon) {
    require_steps(steps, 2, "geometric");
    std::vector<double> points{0.0};
    for (Index k = 1; k < steps; ++k)
        points.push_back(end * std::pow(epsilon, static_cast<double>(steps - k) / static_cast<double>(steps - 1)));
    points.push_back(end);
    return Schedule(std::move(points));
}

Schedule exponential_schedule(Index steps, double end, double ratio) {
    PEARLITE_EXPECTS(steps >= 1 && ratio > 0);
    if (ratio == 1)
        return linear_schedule(steps, end);
    const double log_ratio = std::log(ratio);
    std::vector<double> points;
    for (Index k = 0; k <= steps; ++k)
        points.push_back(end * std::expm1(log_ratio * static_cast<double>(k) / static_cast<double>(steps)) /
                         std::expm1(log_ratio));
    points.back() = end;
    return Schedule(std::move(points));
}

Schedule piecewise_schedule(Index steps, double end, std::span<const double> knots, std::span<const double> shares) {
    const std::size_t n = knots.size();
    if (n < 1 || shares.size() != n)
        throw InputError("a piecewise schedule has " + std::to_string(n) + " knots and " +
                         std::to_string(shares.size()) + " shares, expected as many of either, at least one");
    require_steps(steps, static_cast<Index>(n), "piecewise");
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (!(knots[i] > (i == 0 ? 0 : knots[i - 1])) || !(shares[i] > 0))
            throw InputError("the knots of a piecewise schedule must increase from above 0, and its shares be above 0");
        sum += shares[i];
    }
    if (std::abs(knots.back() - 1) > 1e-12)
        throw InputError("the last knot of a piecewise schedule must be the end of the path");

    std::vector<Index> intervals(n);
    std::vector<double> remainders(n);
    std::vector<std::size_t> order(n);
    Index left = steps;
    for (std::size_t i = 0; i < n; ++i) {
        const double wanted = shares[i] / sum * static_cast<double>(steps);
        // A share that is whole but for rounding counts as whole.
        intervals[i] = std::max<Index>(1, static_cast<Index>(std::floor(wanted + 1e-9)));
        remainders[i] = wanted - static_cast<double>(intervals[i]);
        left -= intervals[i];
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return remainders[a] > remainders[b]; });
    for (std::size_t i = 0; left > 0; i = (i + 1) % n, --left)
        ++intervals[order[i]];
    for (; left < 0; ++left) // forced minima may have taken too many
        --*std::max_element(intervals.begin(), intervals.end());

    std::vector<double> points{0.0};
    for (std::size_t i = 0; i < n; ++i) {
        const double begin = i == 0 ? 0 : knots[i - 1];
        for (Index k = 1; k <= intervals[i]; ++k) {
            const double fraction = static_cast<double>(k) / static_cast<double>(intervals[i]);
            points.push_back(end * (begin + (knots[i] - begin) * fraction));
        }
    }
    points.back() = end;
    return Schedule(std::move(points));
}

Schedule sm08_schedule(Index steps, double end) {
    require_steps(steps, 3, "sm08");
    const std::array<double, 3> knots{0.5, 0.9, 1.0}, shares{500 / 14500.0, 4000 / 14500.0, 10000 / 14500.0};
    return piecewise_schedule(steps, end, knots, shares);
}

double Temperatures::end() const {
    if (const auto* given = std::get_if<Schedule>(this))
        return given->end();
    return std::get<AdaptiveSchedule>(*this).inverse_temperature_end;
}

Index Temperatures::steps() const {
    const auto* given = std::get_if<Schedule>(this);
    return given ? given->steps() : 0;
}

} // namespace pearlite::path
