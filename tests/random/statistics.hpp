#pragma once
/// Tests of samples against distributions, for the tests of the random layer.
///
/// Every statistic becomes a p-value, and a test fails below `rejection_level`. The layer makes about 150 such
/// comparisons on fixed seeds, so with a right generator the chance that any seed had to be rejected was 1.5e-4.

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <span>
#include <vector>

namespace pearlite::random::testing {

inline constexpr double rejection_level = 1e-6;

/// Two-sided p-value of a standard normal statistic.
inline double p_value_of_z(double z) {
    return std::erfc(std::fabs(z) / std::sqrt(2.0));
}

/// Kolmogorov's test of a sample against a continuous distribution function (Stephens 1970 for finite samples).
template <class Cdf>
double kolmogorov_p_value(std::vector<double> sample, Cdf cdf) {
    std::sort(sample.begin(), sample.end());
    const auto n = static_cast<double>(sample.size());
    double distance = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const double f = cdf(sample[i]);
        distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
    }
    const double x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
    double p = 0;
    for (int k = 1; k <= 100; ++k)
        p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
    return x < 0.2 ? 1.0 : std::clamp(p, 0.0, 1.0);
}

/// Pearson's test of counts against probabilities (a zero probability must have a zero count).
inline double chi_squared_p_value(std::span<const double> counts, std::span<const double> probabilities) {
    double total = 0, statistic = 0;
    int cells = 0;
    for (const double count : counts)
        total += count;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const double expected = total * probabilities[j];
        if (expected == 0) {
            if (counts[j] != 0)
                return 0;
            continue;
        }
        statistic += (counts[j] - expected) * (counts[j] - expected) / expected;
        ++cells;
    }
    return boost::math::cdf(
        boost::math::complement(boost::math::chi_squared_distribution<double>(cells - 1), statistic));
}

/// z of the sample mean of `values` against `mean`, in units of the standard error from the known variance.
inline double z_of_mean(std::span<const double> values, double mean, double variance) {
    double sum = 0;
    for (const double value : values)
        sum += value - mean;
    return sum / std::sqrt(variance * static_cast<double>(values.size()));
}

/// Smallest p-value of the first four moments about 0 against those of N(0, 1), whose moments are 0, 1, 0, 3 with
/// variances 1, 2, 15, 96.
inline double normal_moments_p_value(std::span<const double> sample) {
    constexpr double expected[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
    double smallest = 1;
    for (int moment = 0; moment < 4; ++moment) {
        std::vector<double> powers(sample.begin(), sample.end());
        for (double& value : powers)
            value = std::pow(value, moment + 1);
        smallest = std::min(smallest, p_value_of_z(z_of_mean(powers, expected[moment], variance[moment])));
    }
    return smallest;
}

/// p-value of the product moment of two samples of independent standard normals.
inline double correlation_p_value(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return p_value_of_z(sum / std::sqrt(static_cast<double>(a.size())));
}

} // namespace pearlite::random::testing
