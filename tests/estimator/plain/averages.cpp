// One-directional estimators: Jarzynski (1997; reversed: Burda, Grosse & Salakhutdinov 2015), bounds, cumulants (Hummer
// 2001; Habeck 2017, eqs. 7, 9, 12, 13).
#include "estimator/plain/importance.hpp"
#include "estimator/plain/work.hpp"

#include "core/log_space.hpp"
#include "estimator/work/sharded_works.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

constexpr double min_ess = 5;

/// log mean w with the delta method's error, of log weights.
Estimate exponential_average(const std::string& name, std::span<const double> log_weights, double sign) {
    Estimate estimate{name, sign * log_mean_exp(log_weights), {}, {}, "delta", ""};
    const double ess = effective_sample_size(log_weights);
    if (!std::isfinite(estimate.value)) {
        estimate.note = "every work is infinite";
    } else if (log_weights.size() < 2 || ess < min_ess) {
        estimate.note = fmt::format("no error bar: {:.1f} effective trajectories of {}, fewer than {:g}", ess,
                                    log_weights.size(), min_ess);
    } else {
        estimate.standard_error = delta_standard_error(log_weights);
        estimate.interval95 = normal_interval(estimate.value, *estimate.standard_error);
    }
    return estimate;
}

using detail::FiniteMoments;
using detail::WorkMoments;

WorkMoments moments_of(std::span<const double> works) {
    WorkMoments m;
    m.n = static_cast<double>(works.size());
    for (const double w : works)
        m.mean += w / m.n;
    for (const double w : works) {
        const double d = w - m.mean;
        m.variance += d * d / std::max(1.0, m.n - 1);
        m.third += d * d * d / m.n;
        m.fourth += d * d * d * d / m.n;
    }
    return m;
}

bool all_finite(std::span<const double> works) {
    return std::all_of(works.begin(), works.end(), [](double w) { return std::isfinite(w); });
}

/// The moments, unless a work is infinite.
FiniteMoments finite_moments(std::span<const double> works) {
    return all_finite(works) ? FiniteMoments(moments_of(works)) : std::nullopt;
}

} // namespace

Estimate jarzynski_forward(std::span<const double> forward) {
    std::vector<double> log_weights;
    for (const double w : forward)
        log_weights.push_back(-w);
    return exponential_average("jarzynski-forward", log_weights, 1);
}

Estimate jarzynski_reverse(std::span<const double> reverse) {
    return exponential_average("jarzynski-reverse", reverse, -1);
}

WorkBounds work_bounds(std::span<const double> forward, std::span<const double> reverse) {
    return detail::work_bounds(finite_moments(forward), finite_moments(reverse));
}

Estimate cumulant_forward(std::span<const double> forward) {
    return detail::cumulant_forward(finite_moments(forward));
}

Estimate cumulant_reverse(std::span<const double> reverse) {
    return detail::cumulant_reverse(finite_moments(reverse));
}

Estimate cumulant_both(std::span<const double> forward, std::span<const double> reverse) {
    return detail::cumulant_both(finite_moments(forward), finite_moments(reverse));
}

} // namespace pearlite::estimator
