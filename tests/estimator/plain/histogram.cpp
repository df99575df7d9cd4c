// The histogram estimator: the formulas stand in src/estimator/work/histogram.cpp.
#include "estimator/plain/work.hpp"

#include "core/log_space.hpp"
#include "estimator/work/scale_distribution.hpp"
#include "pearlite/random/stream.hpp"
#include "random/fill.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

using detail::WorkSamples;

/// log density of x up to a constant: log-concave, with its mode at log(n_r/n_f) - L.
double log_density(const WorkSamples& works, double x) {
    // sum_j softplus(x - W_j), where most terms are either nearly 0 or nearly x - W_j.
    double sum = 0;
    for (const double w : works.finite)
        sum += softplus(x - w);
    return works.target() * x - sum;
}

/// log Z given x and unit exponentials: sums of e_j/(e^{W_j} + e^x) and e_j/(1 + e^{x - W_j}).
double log_ratio_given(const WorkSamples& works, double x, std::span<const double> exponentials) {
    double numerator = 0, denominator = 0;
    std::size_t j = 0;
    for (const double w : works.finite) {
        const double e = std::exp(std::clamp(x - w, -700.0, 700.0));
        const double forward = exponentials[j++] / (1 + e);
        denominator += forward;
        numerator += forward * e;
    }
    // Infinite works stand for terms at their limits.
    for (Index i = 0; i < static_cast<Index>(works.n_infinite_forward); ++i)
        denominator += exponentials[j++];
    for (Index i = 0; i < static_cast<Index>(works.n_infinite_reverse); ++i)
        numerator += exponentials[j++];
    return std::log(numerator) - std::log(denominator) - x;
}

} // namespace

HistogramEstimate histogram(std::span<const double> forward, std::span<const double> reverse, std::uint64_t seed,
                            int draws) {
    const auto works = detail::work_samples(forward, reverse);
    HistogramEstimate result;
    auto& estimate = result.estimate;
    estimate = {"histogram", detail::solve_bar(works), {}, {}, "posterior", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = estimate.value < 0 ? "every forward work is infinite" : "every reverse work is infinite";
        return result;
    }
    if (draws < 2)
        return result;
    const double curvature = detail::posterior_sums(works, estimate.value).q_not_q;
    if (!(curvature > 1e-12)) {
        estimate.note = "no error bar: the works do not meet";
        return result;
    }
    const auto n = forward.size() + reverse.size();
    const detail::ScaleDistribution scale(
        [&](std::span<const double> x) {
            std::vector<double> log_densities;
            for (const double place : x)
                log_densities.push_back(log_density(works, place));
            return log_densities;
        },
        -works.log_odds() - estimate.value, 1 / std::sqrt(curvature));
    const auto count = detail::posterior_draws(static_cast<std::int64_t>(n), draws);
    std::vector<double> exponentials(n);
    for (std::int64_t draw = 0; draw < count; ++draw) {
        const random::Address address{seed, random::Purpose::work_posterior, static_cast<std::uint64_t>(draw), 0};
        random::Stream stream({seed, random::Purpose::work_posterior, static_cast<std::uint64_t>(draw), 1});
        random::fill_exponential(address, exponentials);
        const double value = log_ratio_given(works, scale.draw(stream), exponentials);
        if (std::isfinite(value))
            result.posterior.push_back(value);
    }
    detail::add_posterior_errors(result);
    return result;
}

} // namespace pearlite::estimator
