// One-directional estimators: Jarzynski (1997; reversed: Burda, Grosse & Salakhutdinov 2015), bounds, cumulants (Hummer
// 2001; Habeck 2017, eqs. 7, 9, 12, 13).
#include "core/log_space.hpp"
#include "estimator/evidence/importance.hpp"
#include "estimator/work/work.hpp"
#include "estimator/work/work_moments.hpp"
#include "pearlite/core/error.hpp"

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

/// Variance of a mean + c s^2, by the moments.
double variance_of_combination(const WorkMoments& m, double a, double c) {
    return (a * a * m.variance + c * c * std::max(0.0, m.fourth - m.variance * m.variance) + 2 * a * c * m.third) / m.n;
}

bool all_finite(std::span<const double> works) {
    return std::all_of(works.begin(), works.end(), [](double w) { return std::isfinite(w); });
}

/// The moments, unless a work is infinite.
FiniteMoments finite_moments(std::span<const double> works) {
    return all_finite(works) ? FiniteMoments(moments_of(works)) : std::nullopt;
}

Estimate cumulant(const std::string& name, double value, double variance, double n) {
    Estimate estimate{name, value, {}, {}, "delta", ""};
    if (n < 4) {
        estimate.note = "no error bar: fewer than 4 works";
    } else {
        estimate.standard_error = std::sqrt(std::max(0.0, variance));
        estimate.interval95 = normal_interval(value, *estimate.standard_error);
    }
    return estimate;
}

Estimate no_cumulant(const std::string& name) {
    return {name, log_zero, {}, {}, "delta", "some works are infinite"};
}

} // namespace

namespace detail {

WorkBounds work_bounds(const FiniteMoments& forward, const FiniteMoments& reverse) {
    const auto bound = [](const FiniteMoments& m, double infinite, double& value, double& error) {
        value = m ? -m->mean : infinite;
        error = m ? std::sqrt(m->variance / m->n) : 0;
    };
    WorkBounds bounds;
    bound(forward, log_zero, bounds.lower, bounds.lower_standard_error);
    bound(reverse, -log_zero, bounds.upper, bounds.upper_standard_error);
    return bounds;
}

Estimate cumulant_forward(const FiniteMoments& m) {
    return m ? cumulant("cumulant-forward", -m->mean + m->variance / 2, variance_of_combination(*m, -1, 0.5), m->n)
             : no_cumulant("cumulant-forward");
}

Estimate cumulant_reverse(const FiniteMoments& m) {
    return m ? cumulant("cumulant-reverse", -m->mean - m->variance / 2, variance_of_combination(*m, -1, -0.5), m->n)
             : no_cumulant("cumulant-reverse");
}

Estimate cumulant_both(const FiniteMoments& f, const FiniteMoments& r) {
    if (!f || !r)
        return no_cumulant("cumulant-both");
    const double value = -(f->mean + r->mean) / 2 + (f->variance - r->variance) / 12;
    const double variance = variance_of_combination(*f, -0.5, 1.0 / 12) + variance_of_combination(*r, -0.5, -1.0 / 12);
    return cumulant("cumulant-both", value, variance, std::min(f->n, r->n));
}

} // namespace detail

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
