#include "algorithm/pilot/spread_temperatures.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

/// A path whose u has the standard deviation c/(a + b), so that lengths are c log(1 + b/a), seen at `n` + 1
/// temperatures of equal lengths.
Tuning pilot(double c, double a, std::size_t n, double mobility) {
    Tuning tuning;
    const double whole = std::log1p(1 / a);
    for (std::size_t t = 0; t <= n; ++t) {
        const double b = t == n ? 1 : a * std::expm1(whole * static_cast<double>(t) / static_cast<double>(n));
        tuning.inverse_temperatures.push_back(b);
        tuning.variance_u.push_back(c * c / ((a + b) * (a + b)));
        tuning.mobility.push_back(t == 0 ? std::nan("") : mobility);
    }
    return tuning;
}

TEST(SpreadTemperatures, AsManyAsTheVarianceTakes) {
    const double c = 3, a = 0.01, length = c * std::log1p(1 / a); // 13.8
    for (const double mobility : {1.0, 0.5}) {
        const double tau = (2 - mobility) / mobility;
        for (const double variance : {0.5, 1.0, 2.0}) {
            const auto spread = spread_temperatures(pilot(c, a, 60, mobility), {variance, 10'000});
            const auto steps = static_cast<double>(spread.inverse_temperatures.size() - 1);
            EXPECT_NEAR(steps, length * length * tau / variance, 0.03 * steps) << mobility << ' ' << variance;
            double sum = 0; // of the log weights
            for (std::size_t k = 1; k < spread.inverse_temperatures.size(); ++k) {
                const double step = spread.inverse_temperatures[k] - spread.inverse_temperatures[k - 1];
                const double middle = a + 0.5 * (spread.inverse_temperatures[k] + spread.inverse_temperatures[k - 1]);
                sum += step * step * c * c / (middle * middle) * tau;
            }
            EXPECT_NEAR(sum, variance, 0.03 * variance);
            // The wrong twin: as many even steps.
            EXPECT_GT(c * c * tau / steps * (1 / a - 1 / (1 + a)), 4 * variance);
        }
    }
}

TEST(SpreadTemperatures, KernelsAreThoseOfThePilotsNextTemperature) {
    const auto seen = pilot(3, 0.01, 10, 1);
    const auto spread = spread_temperatures(seen, {1, 10'000});
    ASSERT_EQ(spread.rows.size(), spread.inverse_temperatures.size());
    EXPECT_EQ(spread.inverse_temperatures.front(), 0);
    EXPECT_EQ(spread.inverse_temperatures.back(), 1);
    for (std::size_t k = 1; k < spread.rows.size(); ++k) {
        const auto row = static_cast<std::size_t>(spread.rows[k]);
        const double b = spread.inverse_temperatures[k];
        EXPECT_LE(b, seen.inverse_temperatures[row] * (1 + 1e-12));
        EXPECT_GE(b, seen.inverse_temperatures[row - 1]);
        EXPECT_GT(b, spread.inverse_temperatures[k - 1]);
    }
}

TEST(SpreadTemperatures, NeitherFewerThanThePilotNorMoreThanTheMost) {
    EXPECT_EQ(spread_temperatures(pilot(0.1, 1, 7, 1), {1, 10'000}).inverse_temperatures.size(), 8);
    EXPECT_EQ(spread_temperatures(pilot(30, 0.01, 7, 1), {1, 100}).inverse_temperatures.size(), 101);
    // A path along which nothing varies, and one whose start has points of likelihood zero.
    auto flat = pilot(3, 0.01, 7, 1);
    for (double& v : flat.variance_u)
        v = 0;
    EXPECT_EQ(spread_temperatures(flat, {1, 100}).inverse_temperatures.back(), 1);
    auto infinite = pilot(3, 0.01, 7, 1);
    infinite.variance_u.front() = INFINITY;
    EXPECT_EQ(spread_temperatures(infinite, {1, 10'000}).inverse_temperatures.back(), 1);
}

} // namespace
} // namespace pearlite::algorithm
