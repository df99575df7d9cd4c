#pragma once
/// Tests of samples against distributions, for the tests of the random layer.
///
/// Every statistic becomes a p-value, and a test fails below `rejection_level`. The layer makes about 150 such
/// comparisons on fixed seeds, so with a right generator the chance that any seed had to be rejected was 1.5e-4.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pearlite::random::testing {

inline constexpr double rejection_level = 1e-6;

/// Two-sided p-value of a standard normal statistic.
double p_value_of_z(double z);

/// Chance that a chi-squared variable with so many degrees of freedom is above the statistic; 1 without any.
double chi_squared_p_value(double statistic, double freedom);

/// Pearson's test of counts against probabilities (a zero probability must have a zero count).
double chi_squared_p_value(std::span<const double> counts, std::span<const double> probabilities);

/// z of the sample mean of `values` against `mean`, in units of the standard error from the known variance.
double z_of_mean(std::span<const double> values, double mean, double variance);

/// Smallest p-value of the first four moments about 0 against those of N(0, 1), whose moments are 0, 1, 0, 3 with
/// variances 1, 2, 15, 96.
double normal_moments_p_value(std::span<const double> sample);

/// p-value of the product moment of two samples of independent standard normals.
double correlation_p_value(std::span<const double> a, std::span<const double> b);

/// Distribution functions at x of a gamma and of a normal variable.
double gamma_distribution(double x, double shape, double scale);
double normal_distribution(double x, double mean, double sd);

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

} // namespace pearlite::random::testing
