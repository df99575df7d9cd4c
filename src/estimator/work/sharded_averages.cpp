// One-directional estimators of sharded works: see jarzynski.cpp for the sources.
#include "core/log_space.hpp"
#include "estimator/evidence/importance.hpp"
#include "estimator/work/work.hpp"
#include "estimator/work/work_moments.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

using population::Shards;

/// Its error bars are those of importance weights; the bootstrap is not asked for.
Estimate exponential_average(const std::string& name, const Shards& log_weights, double sign) {
    const auto importance = importance_estimate(log_weights, 0, 0);
    Estimate estimate{name, sign * importance.delta.value, {}, {}, "delta", importance.delta.note};
    if (!std::isfinite(estimate.value)) {
        estimate.note = "every work is infinite";
    } else if (importance.delta.standard_error) {
        estimate.standard_error = importance.delta.standard_error;
        estimate.interval95 = normal_interval(estimate.value, *estimate.standard_error);
    }
    return estimate;
}

bool all_finite(const Shards& works) {
    return works.all([](double w) { return std::isfinite(w); });
}

detail::WorkMoments moments_of(const Shards& works) {
    detail::WorkMoments m;
    m.n = static_cast<double>(works.size());
    m.mean = population::sums_over<1>(works, [&](double w) { return std::array{w}; })[0] / m.n;
    const auto central = population::sums_over<3>(works, [&](double w) {
        const double d = w - m.mean;
        return std::array{d * d, d * d * d, d * d * d * d};
    });
    m.variance = central[0] / std::max(1.0, m.n - 1);
    m.third = central[1] / m.n;
    m.fourth = central[2] / m.n;
    return m;
}

/// The moments, unless a work is infinite.
std::optional<detail::WorkMoments> finite_moments(const Shards& works) {
    return all_finite(works) ? std::optional(moments_of(works)) : std::nullopt;
}

} // namespace

Estimate jarzynski_forward(const Shards& forward) {
    std::vector<double> log_weights;
    log_weights.reserve(forward.here.size());
    for (const double w : forward.here)
        log_weights.push_back(-w);
    return exponential_average("jarzynski-forward", {forward.ranks, forward.layout, log_weights}, 1);
}

Estimate jarzynski_reverse(const Shards& reverse) {
    return exponential_average("jarzynski-reverse", reverse, -1);
}

WorkBounds work_bounds(const Shards& forward, const Shards& reverse) {
    return detail::work_bounds(finite_moments(forward), finite_moments(reverse));
}

Estimate cumulant_forward(const Shards& forward) {
    return detail::cumulant_forward(finite_moments(forward));
}

Estimate cumulant_reverse(const Shards& reverse) {
    return detail::cumulant_reverse(finite_moments(reverse));
}

Estimate cumulant_both(const Shards& forward, const Shards& reverse) {
    return detail::cumulant_both(finite_moments(forward), finite_moments(reverse));
}

} // namespace pearlite::estimator
