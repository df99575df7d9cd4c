#include "random/statistics.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>

namespace pearlite::random::testing {

double p_value_of_z(double z) {
    return std::erfc(std::fabs(z) / std::sqrt(2.0));
}

double chi_squared_p_value(double statistic, double freedom) {
    return freedom > 0 ? cdf(complement(boost::math::chi_squared(freedom), statistic)) : 1;
}

double chi_squared_p_value(std::span<const double> counts, std::span<const double> probabilities) {
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
    return chi_squared_p_value(statistic, cells - 1);
}

double z_of_mean(std::span<const double> values, double mean, double variance) {
    double sum = 0;
    for (const double value : values)
        sum += value - mean;
    return sum / std::sqrt(variance * static_cast<double>(values.size()));
}

double normal_moments_p_value(std::span<const double> sample) {
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

double correlation_p_value(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return p_value_of_z(sum / std::sqrt(static_cast<double>(a.size())));
}

double gamma_distribution(double x, double shape, double scale) {
    return x <= 0 ? 0 : cdf(boost::math::gamma_distribution<double>(shape, scale), x);
}

double normal_distribution(double x, double mean, double sd) {
    return cdf(boost::math::normal(mean, sd), x);
}

} // namespace pearlite::random::testing
