#include "path/optimal/optimal_schedule.hpp"

#include "core/lbfgs.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::path {

namespace {

/// s(b) with its floor.
class Course {
  public:
    Course(std::span<const double> points, std::span<const double> speed_limit, double floor)
        : length_(points, speed_limit), end_(points.back()), floor_(floor) {
        for (const double b : points)
            at_points_.push_back(at(b));
    }
    double at(double b) const { return (1 - floor_) * length_.up_to(b) / length_.total() + floor_ * b / end_; }
    double slope(double b) const { return (1 - floor_) * length_.integrand(b) / length_.total() + floor_ / end_; }
    std::span<const double> at_points() const { return at_points_; }

  private:
    Integral length_;
    double end_, floor_;
    std::vector<double> at_points_;
};

/// b with course.at(b) = s, in a bracket: Newton's steps, or halves where they leave it.
double inverse(const Course& course, double s, double low, double high) {
    double b = 0.5 * (low + high);
    for (int i = 0; i < 100; ++i) {
        const double excess = course.at(b) - s;
        (excess > 0 ? high : low) = b;
        double next = b - excess / course.slope(b);
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (std::abs(next - b) <= 1e-16 * high)
            return next;
        b = next;
    }
    return b;
}

/// A schedule of points that rounding may have let meet.
Schedule increasing(std::vector<double> points, double end) {
    for (std::size_t k = 1; k < points.size(); ++k)
        if (!(points[k] > points[k - 1]))
            points[k] = std::nextafter(points[k - 1], infinity);
    points.back() = end;
    for (std::size_t k = points.size() - 1; k > 1 && !(points[k] > points[k - 1]); --k)
        points[k - 1] = std::nextafter(points[k], 0.0);
    return Schedule(std::move(points));
}

Schedule with_cap(const Schedule& schedule, const OptimalSettings& settings) {
    return settings.cap ? capped(schedule, *settings.cap) : schedule;
}

/// Numbers between which others are interpolated linearly.
double interpolated(std::span<const double> points, std::span<const double> values, double at) {
    const auto after = std::upper_bound(points.begin() + 1, points.end() - 1, at);
    const auto i = static_cast<std::size_t>(after - points.begin()) - 1;
    return values[i] + (values[i + 1] - values[i]) * (at - points[i]) / (points[i + 1] - points[i]);
}

} // namespace

Schedule equal_length_schedule(Index steps, std::span<const double> inverse_temperature,
                               std::span<const double> speed_limit, const OptimalSettings& settings) {
    PEARLITE_EXPECTS(steps >= 1 && inverse_temperature.front() == 0 && settings.floor >= 0 && settings.floor <= 1);
    const Course course(inverse_temperature, speed_limit, settings.floor);
    const auto s = course.at_points();
    std::vector<double> points{0.0};
    std::size_t piece = 0;
    for (Index k = 1; k < steps; ++k) {
        const double place = static_cast<double>(k) / static_cast<double>(steps);
        while (piece + 2 < s.size() && s[piece + 1] < place)
            ++piece;
        points.push_back(inverse(course, place, inverse_temperature[piece], inverse_temperature[piece + 1]));
    }
    points.push_back(inverse_temperature.back());
    return with_cap(increasing(std::move(points), inverse_temperature.back()), settings);
}

Schedule fixed_point_schedule(Index steps, std::span<const double> inverse_temperature,
                              std::span<const double> speed_limit, const OptimalSettings& settings) {
    PEARLITE_EXPECTS(steps >= 1 && inverse_temperature.front() == 0);
    constexpr int most_iterations = 1000;
    constexpr double tolerance = 1e-10;
    // The equation is solved on a grid of s that is finer than the schedule where this is coarse.
    const auto n = static_cast<std::size_t>(std::max<Index>(steps, 4096));
    const double end = inverse_temperature.back();
    const Integral limit(inverse_temperature, speed_limit);
    std::vector<double> b(n + 1), next(n + 1);
    for (std::size_t i = 0; i <= n; ++i)
        b[i] = end * static_cast<double>(i) / static_cast<double>(n);
    double change = infinity;
    for (int i = 0; i < most_iterations && change > tolerance * end; ++i) {
        next[0] = 0;
        double before = 1 / limit.integrand(b[0]);
        for (std::size_t k = 1; k <= n; ++k) {
            const double here = 1 / limit.integrand(b[k]);
            next[k] = next[k - 1] + 0.5 * (before + here);
            before = here;
        }
        change = 0;
        for (std::size_t k = 0; k <= n; ++k) {
            next[k] *= end / next[n];
            change = std::max(change, std::abs(next[k] - b[k]));
            b[k] = next[k];
        }
    }
    if (!(change <= tolerance * end))
        throw NumericalError(fmt::format("the fixed point of the schedule was not reached in {} iterations: the last "
                                         "one moved it by {:.2g}; quadrature needs no iterations",
                                         most_iterations, change));
    // The floor mixes in s, so that s(b) is made of the solution and inverted.
    std::vector<double> s(n + 1), points{0.0};
    for (std::size_t k = 0; k <= n; ++k)
        s[k] = (1 - settings.floor) * static_cast<double>(k) / static_cast<double>(n) + settings.floor * b[k] / end;
    for (Index k = 1; k < steps; ++k)
        points.push_back(interpolated(s, b, static_cast<double>(k) / static_cast<double>(steps)));
    points.push_back(end);
    return with_cap(increasing(std::move(points), end), settings);
}

namespace {

/// The same path seen at fewer steps, with memories that last for the same share of them: g tau/K stays.
PathProfile thinned(const PathProfile& profile, double factor) {
    auto thin = profile;
    for (std::size_t i = 0; i < profile.tau.size(); ++i) {
        thin.tau[i] = std::max(1.0, profile.tau[i] * factor);
        thin.variance_u[i] *= profile.tau[i] * factor / thin.tau[i];
    }
    return thin;
}

} // namespace

Schedule finite_steps_schedule(Index steps, const PathProfile& profile, const OptimalSettings& settings) {
    constexpr Index most_steps = 1000; // of the minimisation: its functional is that of the limit of many
    constexpr std::size_t nodes = 24;
    constexpr double small = 1e-4; // of a log speed, for differences
    const Index few = std::min(steps, most_steps);
    const auto thin = thinned(profile, static_cast<double>(few) / static_cast<double>(steps));
    const auto& b = profile.inverse_temperature;
    const auto limit = profile.speed_limit(true);
    const Course course(b, limit, settings.floor);
    std::vector<double> places;
    for (std::size_t j = 0; j < nodes; ++j)
        places.push_back(static_cast<double>(j) / static_cast<double>(nodes - 1));
    const auto changed = [&](std::span<const double> logs) {
        auto speed = limit;
        for (std::size_t i = 0; i < speed.size(); ++i)
            speed[i] *= std::exp(interpolated(places, logs, course.at_points()[i]));
        return speed;
    };
    const auto log_cost = [&](std::span<const double> logs) {
        return std::log(cost_of(equal_length_schedule(few, b, changed(logs), settings), thin).finite_steps);
    };
    std::vector<double> best(nodes, 0.0);
    double least = log_cost(best);
    minimise_by_lbfgs(
        [&](std::span<const double> logs, std::span<double> gradient) {
            const double here = log_cost(logs);
            if (here < least) {
                least = here;
                best.assign(logs.begin(), logs.end());
            }
            std::vector<double> moved(logs.begin(), logs.end());
            for (std::size_t j = 0; j < nodes; ++j) {
                moved[j] = logs[j] + small;
                const double after = log_cost(moved);
                moved[j] = logs[j] - small;
                gradient[j] = (after - log_cost(moved)) / (2 * small);
                moved[j] = logs[j];
            }
            return here;
        },
        std::vector<double>(nodes, 0.0), {.iterations = 40, .tolerance = 1e-4});
    return equal_length_schedule(steps, b, changed(best), settings);
}

Schedule capped(const Schedule& schedule, double cap) {
    if (!(cap >= 1))
        throw InputError(fmt::format("a schedule's largest slope is at least that of the linear one, 1, not {}", cap));
    const auto n = static_cast<std::size_t>(schedule.steps());
    const double end = schedule.end(), limit = cap / static_cast<double>(n);
    std::vector<double> steps(n);
    for (std::size_t k = 0; k < n; ++k)
        steps[k] = (schedule.points()[k + 1] - schedule.points()[k]) / end;
    // The longest steps are at the limit; c makes the sum of all 1.
    auto sorted = steps;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> shortest(n + 1, 0.0); // sums of the i shortest steps
    std::partial_sum(sorted.begin(), sorted.end(), shortest.begin() + 1);
    std::size_t free = n;
    double c = 1 / shortest[n];
    while (free > 0 && c * sorted[free - 1] > limit) {
        --free;
        c = free > 0 ? (1 - static_cast<double>(n - free) * limit) / shortest[free] : infinity;
    }
    std::vector<double> points{0.0};
    for (std::size_t k = 0; k < n; ++k)
        points.push_back(points.back() + end * std::min(limit, c * steps[k]));
    return increasing(std::move(points), end);
}

Schedule gms13_schedule(Index steps, std::span<const double> knots, std::span<const double> mean_u) {
    PEARLITE_EXPECTS(knots.size() >= 2 && knots.size() == mean_u.size() && knots.front() == 0);
    constexpr double least_share = 1e-12; // a segment has a step in any case
    std::vector<double> ends, shares;
    for (std::size_t j = 1; j < knots.size(); ++j) {
        ends.push_back(knots[j] / knots.back());
        shares.push_back(std::sqrt((knots[j] - knots[j - 1]) * std::max(0.0, mean_u[j] - mean_u[j - 1])));
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares)
        share = sum > 0 ? std::max(share / sum, least_share) : 1;
    return piecewise_schedule(steps, knots.back(), ends, shares);
}

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
