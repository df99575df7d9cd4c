#include "estimator/plain/importance.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/random/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

/// Weights relative to the largest, and the log of the largest.
struct RelativeWeights {
    std::vector<double> w;
    double log_max = log_zero;
};
RelativeWeights relative(std::span<const double> log_weights) {
    RelativeWeights weights;
    for (const double lw : log_weights)
        weights.log_max = std::max(weights.log_max, lw);
    weights.w.reserve(log_weights.size());
    for (const double lw : log_weights)
        weights.w.push_back(lw == log_zero ? 0.0 : std::exp(lw - weights.log_max));
    return weights;
}

double variance(std::span<const double> values) {
    double mean = 0, sum = 0;
    for (const double x : values)
        mean += x / static_cast<double>(values.size());
    for (const double x : values)
        sum += (x - mean) * (x - mean);
    return sum / static_cast<double>(values.size() - 1);
}

double normal_ess(std::span<const double> log_weights) {
    double n = 0, mean = 0, square = 0, n_above = 0;
    for (const double lw : log_weights)
        if (lw > log_zero) {
            n += 1;
            mean += lw;
        }
    mean /= n;
    for (const double lw : log_weights)
        if (lw > mean) {
            n_above += 1;
            square += (lw - mean) * (lw - mean);
        }
    return n_above > 0 ? n * std::exp(-square / n_above) : n;
}

} // namespace

double delta_standard_error(std::span<const double> log_weights) {
    PEARLITE_EXPECTS(log_weights.size() >= 2);
    const auto m = static_cast<double>(log_weights.size());
    const double ess = effective_sample_size(log_weights);
    return std::sqrt(std::max(0.0, 1 / ess - 1 / m) * m / (m - 1));
}

double skewness_of_mean(std::span<const double> log_weights) {
    const auto weights = relative(log_weights).w;
    const auto m = static_cast<double>(weights.size());
    double mean = 0, second = 0, third = 0;
    for (const double w : weights)
        mean += w / m;
    for (const double w : weights) {
        second += (w - mean) * (w - mean) / m;
        third += (w - mean) * (w - mean) * (w - mean) / m;
    }
    return second > 0 ? third / std::pow(second, 1.5) / std::sqrt(m) : 0;
}

std::vector<double> bootstrap_log_mean(std::span<const double> log_weights, std::uint64_t seed, int replicates) {
    PEARLITE_EXPECTS(!log_weights.empty());
    const auto weights = relative(log_weights);
    const auto m = weights.w.size();
    std::vector<double> log_means;
    log_means.reserve(static_cast<std::size_t>(replicates));
    for (int replicate = 0; replicate < replicates; ++replicate) {
        random::Stream stream({seed, random::Purpose::bootstrap, static_cast<std::uint64_t>(replicate), 0});
        double sum = 0;
        for (std::size_t i = 0; i < m; ++i)
            sum += weights.w[stream.index(m)];
        log_means.push_back(weights.log_max + std::log(sum / static_cast<double>(m)));
    }
    return log_means;
}

ImportanceEstimate importance_estimate(std::span<const double> log_weights, std::uint64_t seed,
                                       int bootstrap_replicates, double min_ess) {
    ImportanceEstimate result;
    const double value = log_mean_exp(log_weights);
    result.delta = {"product", value, {}, {}, "delta", ""};
    result.bootstrap = {"product", value, {}, {}, "bootstrap", ""};
    result.ess = effective_sample_size(log_weights);
    result.skewness_of_mean = skewness_of_mean(log_weights);
    if (log_weights.size() >= 2)
        result.variance_log_weight = variance(log_weights);
    result.normal_ess = normal_ess(log_weights);

    if (log_weights.size() < 2 || result.ess < min_ess) {
        result.delta.note = result.bootstrap.note =
            fmt::format("no error bar: {:.1f} effective trajectories of {}, fewer than {:g}", result.ess,
                        log_weights.size(), min_ess);
        return result;
    }
    if (result.ess < 50 && result.normal_ess < 1) {
        result.delta.note = result.bootstrap.note = fmt::format(
            "no error bar: {:.1f} effective trajectories of {}, and none were to be expected of log weights "
            "that spread so far",
            result.ess, log_weights.size());
        return result;
    }
    result.delta.standard_error = delta_standard_error(log_weights);
    result.delta.interval95 = normal_interval(value, *result.delta.standard_error);

    auto replicates = bootstrap_log_mean(log_weights, seed, bootstrap_replicates);
    std::sort(replicates.begin(), replicates.end());
    const auto percentile = [&](double p) {
        return replicates[static_cast<std::size_t>(std::lround(p * static_cast<double>(replicates.size() - 1)))];
    };
    if (std::isfinite(replicates.front())) {
        result.bootstrap.standard_error = std::sqrt(variance(replicates));
        result.bootstrap.interval95 = {percentile(0.025), percentile(0.975)};
    } else {
        result.bootstrap.note = "no error bar: some bootstrap samples hold only weights that are zero";
    }
    return result;
}

} // namespace pearlite::estimator
