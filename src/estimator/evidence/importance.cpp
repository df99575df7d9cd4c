#include "estimator/evidence/importance.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/bootstrap.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/random/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
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

std::vector<std::string> ImportanceEstimate::doubts(const std::string& what) const {
    constexpr double few = 20, few_if_normal = 100, some_skewness = 0.1;
    const auto advice = "use more temperatures, or more " + what;
    if (ess < few)
        return {fmt::format("the effective number of {} at the end is {:.1f}, below {:g}: {}", what, ess, few, advice)};
    if (skewness_of_mean > largest_skewness)
        return {"the weights are skewed: the error bar is probably too small; " + advice};
    if (normal_ess < few_if_normal && skewness_of_mean > some_skewness)
        return {
            fmt::format("the log weights spread so far that {:.1f} effective {} are to be expected, fewer than the "
                        "{:.0f} seen: the largest weights may be missing, and the error bar is probably too small; {}",
                        normal_ess, what, ess, advice)};
    return {};
}

double effective_sample_size(std::span<const double> log_weights) {
    double sum = 0, squares = 0;
    for (const double w : relative(log_weights).w) {
        sum += w;
        squares += w * w;
    }
    return squares > 0 ? sum * sum / squares : 0;
}

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

namespace {

using population::Shards;

/// Which draws of an item's address are used for what.
constexpr std::uint32_t of_weights = 2;

/// sqrt((1/ESS - 1/M) M/(M-1)).
double delta_error(double ess, double m) {
    return std::sqrt(std::max(0.0, 1 / ess - 1 / m) * m / (m - 1));
}

/// From central moments of the weights relative to the largest.
double skewness(const Shards& log_weights, double log_max) {
    if (log_max == log_zero)
        return 0;
    const auto m = static_cast<double>(log_weights.size());
    const auto relative_mean =
        population::sums_over<1>(log_weights, [&](double lw) { return std::array{std::exp(lw - log_max) / m}; });
    const auto [second, third] = population::sums_over<2>(log_weights, [&](double lw) {
        const double d = std::exp(lw - log_max) - relative_mean[0];
        return std::array{d * d / m, d * d * d / m};
    });
    return second > 0 ? third / std::pow(second, 1.5) / std::sqrt(m) : 0;
}

double variance(const Shards& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = population::sums_over<1>(values, [](double x) { return std::array{x}; })[0] / n;
    const auto square = population::sums_over<1>(values, [&](double x) { return std::array{(x - mean) * (x - mean)}; });
    return square[0] / (n - 1);
}

double normal_ess(const Shards& log_weights) {
    const auto [n, sum] = population::sums_over<2>(log_weights, [](double lw) {
        return lw > log_zero ? std::array{1.0, lw} : std::array{0.0, 0.0};
    });
    if (!(n > 0))
        return 0;
    const double mean = sum / n;
    const auto [n_above, square] = population::sums_over<2>(log_weights, [&](double lw) {
        return lw > mean ? std::array{1.0, (lw - mean) * (lw - mean)} : std::array{0.0, 0.0};
    });
    return n_above > 0 ? n * std::exp(-square / n_above) : n;
}

} // namespace

double skewness_of_mean(const Shards& log_weights) {
    return skewness(log_weights,
                    population::largest_log_weight(log_weights.ranks, log_weights.layout, log_weights.here));
}

std::vector<double> bootstrap_log_mean(const Shards& log_weights, std::uint64_t seed, int replicates) {
    PEARLITE_EXPECTS(log_weights.size() >= 1);
    const double log_max = population::largest_log_weight(log_weights.ranks, log_weights.layout, log_weights.here);
    const auto R = static_cast<std::size_t>(replicates);
    if (log_max == log_zero)
        return std::vector<double>(R, log_zero);
    // Integers, of which most_copies times M fit into 63 bits: sums that do not depend on their order.
    const int bits = 59 - std::bit_width(static_cast<std::uint64_t>(log_weights.size() - 1));
    const double unit = std::ldexp(1.0, -bits);
    std::vector<std::int64_t> sums(2 * R); // of the weights, and of the copies
    const std::span<std::int64_t> weight_sums = std::span(sums).first(R), copy_sums = std::span(sums).last(R);
    std::vector<std::uint16_t> copies(R);
    for (std::size_t i = 0; i < log_weights.here.size(); ++i) {
        const auto weight = static_cast<std::int64_t>(std::nearbyint(std::exp(log_weights.here[i] - log_max) / unit));
        const auto slot = static_cast<std::uint64_t>(log_weights.slot(i));
        draw_copies({seed, random::Purpose::bootstrap, slot, of_weights}, copies);
        for (std::size_t r = 0; r < R; ++r) {
            weight_sums[r] += weight * copies[r];
            copy_sums[r] += copies[r];
        }
    }
    log_weights.ranks.sum(sums);
    std::vector<double> log_means;
    for (std::size_t r = 0; r < R; ++r)
        if (copy_sums[r] > 0)
            log_means.push_back(
                log_max + std::log(static_cast<double>(weight_sums[r]) * unit / static_cast<double>(copy_sums[r])));
    return log_means;
}

ImportanceEstimate importance_estimate(const Shards& log_weights, std::uint64_t seed, int bootstrap_replicates,
                                       double min_ess) {
    const auto summary = population::summarise(log_weights.ranks, log_weights.layout, log_weights.here);
    ImportanceEstimate result;
    result.delta = {"product", summary.log_mean, {}, {}, "delta", ""};
    result.bootstrap = {"product", summary.log_mean, {}, {}, "bootstrap", ""};
    result.ess = summary.ess;
    result.skewness_of_mean = skewness(log_weights, summary.log_max);
    if (log_weights.size() >= 2)
        result.variance_log_weight = variance(log_weights);
    result.normal_ess = normal_ess(log_weights);
    if (log_weights.size() < 2 || result.ess < min_ess) {
        result.delta.note = result.bootstrap.note =
            fmt::format("no error bar: {:.1f} effective trajectories of {}, fewer than {:g}", result.ess,
                        log_weights.size(), min_ess);
        return result;
    }
    result.delta.standard_error = delta_error(result.ess, static_cast<double>(log_weights.size()));
    result.delta.interval95 = normal_interval(summary.log_mean, *result.delta.standard_error);
    add_bootstrap_errors(result.bootstrap, bootstrap_log_mean(log_weights, seed, bootstrap_replicates),
                         "no error bar: some bootstrap samples hold only weights that are zero");
    return result;
}

} // namespace pearlite::estimator
