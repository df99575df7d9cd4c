// One-directional estimators: Jarzynski (1997; reversed: Burda, Grosse & Salakhutdinov 2015), bounds, cumulants (Hummer
// 2001; Habeck 2017, eqs. 7, 9, 12, 13).
#include "estimator/evidence/importance.hpp"
#include "estimator/work/sharded_works.hpp"

namespace pearlite::estimator::detail {

namespace {

/// Variance of a mean + c s^2, by the moments.
double variance_of_combination(const WorkMoments& m, double a, double c) {
    return (a * a * m.variance + c * c * std::max(0.0, m.fourth - m.variance * m.variance) + 2 * a * c * m.third) / m.n;
}

Estimate cumulant(const std::string& name, double value, double variance, double n) {
    Estimate estimate{name, value, {}, {}, "delta", ""};
    if (n < 4) {
        estimate.note = "no error bar: fewer than 4 works";
    } else if (!std::isfinite(variance)) {
        estimate.note = "no error bar: some works are too large for their moments";
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

} // namespace pearlite::estimator::detail

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

namespace {

/// Parts of the works here in a mean of exp(sign (W + value)), whose logarithm the estimate is.
std::vector<double> parts_in_average(const Shards& works, double sign, double value) {
    std::vector<double> parts;
    parts.reserve(works.here.size());
    for (const double w : works.here)
        parts.push_back(std::exp(sign * (w + value)) / static_cast<double>(works.size()));
    return parts;
}

/// Collective. Parts in a mean + c s^2, of finite works.
std::vector<double> parts_in_moments(const Shards& works, double a, double c) {
    const auto n = static_cast<double>(works.size());
    const double mean = population::sums_over<1>(works, [](double w) { return std::array{w}; })[0] / n;
    std::vector<double> parts;
    parts.reserve(works.here.size());
    for (const double w : works.here)
        parts.push_back((a * (w - mean) + c * (w - mean) * (w - mean)) / n);
    return parts;
}

} // namespace

std::vector<WorkEstimator> jarzynski_estimators() {
    WorkEstimator forward{"jarzynski-forward", [](const Shards& f, const Shards&) { return jarzynski_forward(f); }};
    forward.influence = [](const Shards& f, const Shards&, double value) {
        return WorkInfluence{parts_in_average(f, -1, value), {}};
    };
    forward.uses_reverse = false;
    forward.weight_sign = -1;
    WorkEstimator reverse{"jarzynski-reverse", [](const Shards&, const Shards& r) { return jarzynski_reverse(r); }};
    reverse.influence = [](const Shards&, const Shards& r, double value) {
        return WorkInfluence{{}, parts_in_average(r, 1, value)};
    };
    reverse.uses_forward = false;
    reverse.weight_sign = 1;
    return {forward, reverse};
}

std::vector<WorkEstimator> cumulant_estimators() {
    WorkEstimator forward{"cumulant-forward", [](const Shards& f, const Shards&) { return cumulant_forward(f); }};
    forward.influence = [](const Shards& f, const Shards&, double) {
        return WorkInfluence{parts_in_moments(f, -1, 0.5), {}};
    };
    forward.uses_reverse = false;
    WorkEstimator reverse{"cumulant-reverse", [](const Shards&, const Shards& r) { return cumulant_reverse(r); }};
    reverse.influence = [](const Shards&, const Shards& r, double) {
        return WorkInfluence{{}, parts_in_moments(r, -1, -0.5)};
    };
    reverse.uses_forward = false;
    WorkEstimator both{"cumulant-both", cumulant_both};
    both.influence = [](const Shards& f, const Shards& r, double) {
        return WorkInfluence{parts_in_moments(f, -0.5, 1.0 / 12), parts_in_moments(r, -0.5, -1.0 / 12)};
    };
    forward.assumes_normal = reverse.assumes_normal = both.assumes_normal = true;
    return {forward, reverse, both};
}

bool are_normal(const Shards& works, double independent) {
    constexpr double quantile99 = 9.21; // of chi squared with two degrees of freedom
    const auto m = finite_moments(works);
    if (!m || !(m->variance > 0))
        return false;
    const double skewness = m->third / std::pow(m->variance, 1.5);
    const double excess = m->fourth / (m->variance * m->variance) - 3;
    return independent / 6 * (skewness * skewness + excess * excess / 4) <= quantile99;
}

} // namespace pearlite::estimator
