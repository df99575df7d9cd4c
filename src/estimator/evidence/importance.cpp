#include "estimator/evidence/importance.hpp"

#include "estimator/evidence/bootstrap.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numeric>

namespace pearlite::estimator {

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

constexpr double few = 20, few_if_spread = 50; // effective trajectories

} // namespace

bool ImportanceEstimate::spreads_too_far() const {
    return ess < few_if_spread && normal_ess < 1;
}

std::vector<std::string> ImportanceEstimate::doubts(const std::string& what) const {
    constexpr double few_if_normal = 100, some_skewness = 0.1;
    const auto advice = "use more temperatures, or more " + what;
    if (ess < few)
        return {fmt::format("the effective number of {} at the end is {:.1f}, below {:g}: {}", what, ess, few, advice)};
    if (skewness_of_mean > largest_skewness)
        return {"the weights are skewed: the error bar is probably too small; " + advice};
    if (normal_ess < few_if_normal && skewness_of_mean > some_skewness)
        return {
            fmt::format("the log weights spread so far that {:.1f} effective {} are to be expected ({:.0f} are seen), "
                        "fewer than {:g}: the largest weights may be missing, and the error bar too small; {}",
                        normal_ess, what, ess, few_if_normal, advice)};
    return {};
}

double effective_sample_size(std::span<const double> log_weights) {
    const double log_max = std::accumulate(log_weights.begin(), log_weights.end(), log_zero,
                                           [](double a, double b) { return std::max(a, b); });
    double sum = 0, squares = 0;
    for (const double lw : log_weights) {
        const double w = lw == log_zero ? 0.0 : std::exp(lw - log_max);
        sum += w;
        squares += w * w;
    }
    return squares > 0 ? sum * sum / squares : 0;
}

double skewness_of_mean(const Shards& log_weights) {
    return skewness(log_weights,
                    population::largest_log_weight(log_weights.ranks, log_weights.layout, log_weights.here));
}

std::vector<double> bootstrap_log_mean(const Shards& log_weights, const random::Seed& seed, int replicates) {
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

ImportanceEstimate importance_estimate(const Shards& log_weights, const random::Seed& seed, int bootstrap_replicates,
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
    if (result.spreads_too_far()) {
        result.delta.note = result.bootstrap.note = fmt::format(
            "no error bar: {:.1f} effective trajectories of {}, and none were to be expected of log weights "
            "that spread so far",
            result.ess, log_weights.size());
        return result;
    }
    result.delta.standard_error = delta_error(result.ess, static_cast<double>(log_weights.size()));
    result.delta.interval95 = normal_interval(summary.log_mean, *result.delta.standard_error);
    add_bootstrap_errors(result.bootstrap, bootstrap_log_mean(log_weights, seed, bootstrap_replicates),
                         "no error bar: some bootstrap samples hold only weights that are zero");
    return result;
}

} // namespace pearlite::estimator
