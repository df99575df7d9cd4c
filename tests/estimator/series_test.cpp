/// Statistical inefficiencies of known series, and the errors that follow from them.

#include "estimator/series.hpp"

#include "core/log_space.hpp"
#include "estimator/mbar/mbar.hpp"
#include "estimator/oscillators.hpp"
#include "estimator/shards_of.hpp"
#include "estimator/work/work.hpp"
#include "pearlite/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::estimator {
namespace {

using testing::whole;

std::vector<double> autoregression(double correlation, Index n, std::uint64_t seed) {
    random::Stream stream({seed, random::Purpose::test, 4, 0});
    std::vector<double> z{stream.normal()};
    while (std::ssize(z) < n)
        z.push_back(correlation * z.back() + std::sqrt(1 - correlation * correlation) * stream.normal());
    return z;
}

// Catches a sum that ends too early, misses its bias, or weighs the lags wrongly: the mean of g over 60 series of
// 4000 numbers has a standard error of some 2 % to 4 %.
TEST(Series, InefficiencyOfAutoregressions) {
    for (const double correlation : {0.3, 0.6, 0.9}) {
        double mean = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed)
            mean += series_variance(autoregression(correlation, 4000, seed)).inefficiency() / 60;
        EXPECT_NEAR(mean * (1 - correlation) / (1 + correlation), 1, 0.12) << correlation;
    }
}

TEST(Series, IndependentNumbersStandForThemselves) {
    double mean = 0, shortest = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        mean += series_variance(autoregression(0, 1000, seed)).inefficiency() / 100;
        shortest += series_variance(autoregression(0, 30, seed)).is_too_short() ? 1 : 0;
    }
    EXPECT_LT(mean, 1.1);
    EXPECT_LE(shortest, 3);
    EXPECT_EQ(series_variance(std::vector<double>(50, 2.5)).inefficiency(), 1);
    EXPECT_EQ(series_variance(std::vector<double>{1, 2, 3}).inefficiency(), 1);
    EXPECT_EQ(series_variance({}).inefficiency(), 1);
    std::vector<double> alternating; // no gain from numbers that alternate
    for (int i = 0; i < 100; ++i)
        alternating.push_back(i % 2);
    EXPECT_EQ(series_variance(alternating).inefficiency(), 1);
}

// Catches correlations beyond the lags of one sum: they are those of means of neighbours.
TEST(Series, LongCorrelations) {
    const auto found = series_variance(autoregression(0.999, 400000, 1));
    EXPECT_NEAR(found.inefficiency() / 1999, 1, 0.35);
    const auto few = autoregression(0, 100, 2);
    std::vector<double> repeated;
    for (const double x : few)
        repeated.insert(repeated.end(), 2000, x);
    EXPECT_GT(series_variance(repeated).inefficiency(), 1500);
    EXPECT_NEAR(variance_in_blocks(repeated, 2000) / series_variance(few).of_a_number / 2000, 1, 1e-9);
}

// Catches errors that depend on the ranks' shares or forget a direction: blocks and long-run variances of BAR.
TEST(Series, ErrorsOfBarFollowTheOrder) {
    auto forward = autoregression(0.8, 3000, 5), reverse = autoregression(0, 3000, 6);
    for (double& w : forward)
        w = 2 + 1.125 + 1.5 * w;
    for (double& w : reverse)
        w = 2 - 1.125 + 1.5 * w;
    WorkFacts facts;
    facts.is_series = true;
    const auto in_order = analyse_work(whole(forward), whole(reverse), facts, 1);
    const auto independent = analyse_work(whole(forward), whole(reverse), {}, 1);
    ASSERT_TRUE(in_order.series.has_value());
    EXPECT_GT(in_order.series->forward.inefficiency(), 5);
    EXPECT_LT(in_order.series->reverse.inefficiency(), 1.5);
    const double ratio = *in_order.estimates.front().standard_error / *independent.estimates.front().standard_error;
    EXPECT_NEAR(ratio, std::sqrt((9 + 1) / 2.0), 0.4); // g of q is a little below that of the works, 9
    for (std::size_t k = 1; k < 3; ++k)                // the bootstrap and the histogram
        EXPECT_NEAR(*in_order.estimates[k].standard_error / *in_order.estimates[0].standard_error, 1, 0.15);
    EXPECT_EQ(in_order.estimates.front().value, independent.estimates.front().value);
}

// Catches a score without the free energies' own part, which is some times too wide, and one of the wrong sign.
TEST(Series, ScoresOfIntactSamplesAreStandardNormal) {
    const testing::Oscillators oscillators{{0, 1, 2}, {1, 0.8, 1.2}, {0, 300, -40}, {300, 200, 400}};
    double squares = 0, largest = 0;
    constexpr int sets = 200;
    for (std::uint64_t set = 0; set < sets; ++set) {
        const auto data = oscillators.draw(set);
        const auto test = ownership_test(data, mbar(data));
        ASSERT_TRUE(test.z.has_value());
        squares += *test.z * *test.z / sets;
        largest = std::max(largest, std::abs(*test.z));
    }
    EXPECT_NEAR(squares, 1, 0.4); // four standard errors
    EXPECT_LT(largest, 4);
    auto data = oscillators.draw(1);
    data.counts = {400, 300, 200};
    EXPECT_FALSE(ownership_test(data, mbar(data)).passes());
    data = oscillators.draw(1);
    data.here *= 1.5;
    EXPECT_FALSE(ownership_test(data, mbar(data)).passes());
}

// Catches a covariance that forgets a state: the sandwich equals the asymptotic covariance for independent samples.
TEST(Series, SandwichOfIndependentSamples) {
    const auto data = testing::five_oscillators(2000).draw(3);
    const auto independent = mbar(data);
    auto in_order = independent;
    use_order(data, in_order);
    for (Index k = 1; k < 5; ++k)
        EXPECT_NEAR(in_order.standard_error(0, k) / independent.standard_error(0, k), 1, 0.15) << k;
    EXPECT_GT(degrees_of(data, in_order, 0, 4), 100);
    EXPECT_EQ(degrees_of(data, independent, 0, 4), infinity);
}

// Catches a stall of Newton's method where states hardly overlap, and infinite free energies that become NaN.
TEST(Series, MbarOfDistantAndImpossibleStates) {
    for (const double far : {2.0, 4.0, 6.0, 9.0, 30.0}) {
        const testing::Oscillators apart{{0, 0.5, far}, {1, 1, 0.1}, {0, 5, 2000}, {1000, 1000, 1000}};
        const auto found = mbar(apart.draw(1));
        EXPECT_LT(found.iterations, 60) << far;
        EXPECT_LT(found.gradient, 1e-6) << far;
    }
    auto data = testing::Oscillators{{0, 1, 1}, {1, 1, 1}, {0, 0, 0}, {60, 60, 0}}.draw(1);
    data.here.row(2).setConstant(infinity);
    auto found = mbar(data);
    use_order(data, found);
    EXPECT_EQ(found.free_energies(2), infinity);
    EXPECT_EQ(found.effective_samples(2), 0);
    EXPECT_TRUE(found.covariance.allFinite());
    EXPECT_GT(found.standard_error(0, 1), 0.05);
}

} // namespace
} // namespace pearlite::estimator
