#include "pearlite/path/schedule.hpp"

#include "pearlite/core/contract.hpp"
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

Schedule sm08_schedule(Index steps, double end) {
    require_steps(steps, 3, "sm08");
    struct Segment {
        double begin, end, share;
        Index intervals = 1;
        double remainder = 0;
    };
    std::array<Segment, 3> segments{{{0, 0.5, 500 / 14500.0}, {0.5, 0.9, 4000 / 14500.0}, {0.9, 1, 10000 / 14500.0}}};
    Index left = steps;
    for (auto& segment : segments) {
        const double wanted = segment.share * static_cast<double>(steps);
        // A share that is whole but for rounding counts as whole.
        segment.intervals = std::max<Index>(1, static_cast<Index>(std::floor(wanted + 1e-9)));
        segment.remainder = wanted - static_cast<double>(segment.intervals);
        left -= segment.intervals;
    }
    std::array<Segment*, 3> order{&segments[0], &segments[1], &segments[2]};
    std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->remainder > b->remainder; });
    for (std::size_t i = 0; left > 0; i = (i + 1) % 3, --left)
        ++order[i]->intervals;
    segments[2].intervals += left; // forced minima may have taken one or two too many

    std::vector<double> points{0.0};
    for (const auto& segment : segments)
        for (Index k = 1; k <= segment.intervals; ++k) {
            const double fraction = static_cast<double>(k) / static_cast<double>(segment.intervals);
            points.push_back(end * (segment.begin + (segment.end - segment.begin) * fraction));
        }
    points.back() = end;
    return Schedule(std::move(points));
}

} // namespace pearlite::path
