// Exact values are known to all digits shown; "exactly" means equal bits, else the bound is in units of the last place.
#include "core/log_space.hpp"
#include "pearlite/core/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

using namespace pearlite;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double ln2 = std::numbers::ln2;

void expect_relative(double actual, double expected, double ulps = 4) {
    EXPECT_NEAR(actual, expected, ulps * epsilon * std::abs(expected));
}

TEST(LogAdd, KnownValues) {
    EXPECT_EQ(log_add(0, 0), ln2);
    EXPECT_EQ(log_add(-1000, -1000), -1000 + ln2);
    expect_relative(log_add(std::log(3.0), std::log(4.0)), std::log(7.0));
    expect_relative(log_add(0, -40), 4.248354255291589e-18); // log(1 + e^-40): lost by log(1 + x)
    EXPECT_EQ(log_add(1e308, 0), 1e308);
    EXPECT_EQ(log_add(-800, 3), log_add(3, -800));
}

TEST(LogAdd, Extremes) {
    EXPECT_EQ(log_add(log_zero, log_zero), log_zero);
    EXPECT_EQ(log_add(log_zero, 5), 5);
    EXPECT_EQ(log_add(infinity, infinity), infinity);
    EXPECT_EQ(log_add(infinity, log_zero), infinity);
    EXPECT_TRUE(std::isnan(log_add(nan, 0)));
    EXPECT_TRUE(std::isnan(log_add(log_zero, nan)));
    EXPECT_TRUE(std::isnan(log_add(infinity, nan)));
}

TEST(LogSubtract, UndoesLogAddAndKnowsItsLimits) {
    expect_relative(log_subtract(std::log(7.0), std::log(4.0)), std::log(3.0), 16);
    expect_relative(log_subtract(0, -1e-20), std::log(1e-20)); // exp would round the difference to zero
    EXPECT_EQ(log_subtract(2, 2), log_zero);
    EXPECT_EQ(log_subtract(2, log_zero), 2);
    EXPECT_EQ(log_subtract(log_zero, log_zero), log_zero);
    EXPECT_EQ(log_subtract(infinity, 2), infinity);
    EXPECT_TRUE(std::isnan(log_subtract(1, 2)));
    EXPECT_TRUE(std::isnan(log_subtract(infinity, infinity)));
    EXPECT_TRUE(std::isnan(log_subtract(nan, 0)));
}

TEST(Log1mExp, AccurateAtBothEnds) {
    expect_relative(log1m_exp(-1e-300), std::log(1e-300));
    expect_relative(log1m_exp(-ln2), -ln2);
    expect_relative(log1m_exp(-50), -1.9287498479639178e-22);
    EXPECT_EQ(log1m_exp(0), log_zero);
    EXPECT_EQ(log1m_exp(log_zero), 0);
    EXPECT_TRUE(std::isnan(log1m_exp(0.5)));
    EXPECT_TRUE(std::isnan(log1m_exp(nan)));
}

TEST(Softplus, NeitherOverflowsNorLosesItsTail) {
    EXPECT_EQ(softplus(0), ln2);
    EXPECT_EQ(softplus(1e5), 1e5);
    expect_relative(softplus(-50), 1.9287498479639178e-22);
    expect_relative(softplus(30), 30 + 9.357622968839299e-14);
    EXPECT_EQ(softplus(infinity), infinity);
    EXPECT_EQ(softplus(log_zero), 0);
    EXPECT_TRUE(std::isnan(softplus(nan)));
}

TEST(Logistic, SymmetricWithFullTails) {
    EXPECT_EQ(logistic(0), 0.5);
    expect_relative(logistic(ln2), 2.0 / 3.0);
    expect_relative(logistic(-720), std::exp(-720.0), 1e3); // a subnormal: few digits, but not zero
    EXPECT_GT(logistic(-720), 0);
    EXPECT_EQ(logistic(40), 1);
    EXPECT_EQ(logistic(infinity), 1);
    EXPECT_EQ(logistic(-infinity), 0);
    EXPECT_TRUE(std::isnan(logistic(nan)));
    for (const double x : {0.1, 1.0, 7.5, 20.0})
        EXPECT_NEAR(logistic(x) + logistic(-x), 1, epsilon);
}

TEST(Logit, InvertsLogisticAndIsSharpAroundOneHalf) {
    EXPECT_EQ(logit(0.5), 0);
    const double distance = 0.5000001 - 0.5; // log p - log(1-p) would have an error of 1e-16, 2e-10 of the value
    expect_relative(logit(0.5000001), 4 * distance * (1 + 4 * distance * distance / 3));
    expect_relative(logit(2.0 / 3.0), ln2);
    expect_relative(logit(1e-300), std::log(1e-300));
    expect_relative(logit(0.1), -std::log(9.0));
    EXPECT_EQ(logit(0), log_zero);
    EXPECT_EQ(logit(1), infinity);
    EXPECT_TRUE(std::isnan(logit(-0.1)));
    EXPECT_TRUE(std::isnan(logit(1.1)));
    EXPECT_TRUE(std::isnan(logit(nan)));
    for (double x = -30; x <= 3; x += 0.37)
        EXPECT_NEAR(logit(logistic(x)), x, 8 * epsilon * std::max(1.0, std::abs(x)) * (1 + std::exp(x)));
}

TEST(LogSumExp, KnownValues) {
    EXPECT_EQ(log_sum_exp(std::vector<double>{}), log_zero);
    EXPECT_EQ(log_sum_exp(std::vector{-1234.5}), -1234.5);
    expect_relative(log_sum_exp(std::vector{1000.0, 1000.0, 1000.0, 1000.0}), 1000 + 2 * ln2);
    expect_relative(log_sum_exp(std::vector{std::log(1.0), std::log(2.0), std::log(3.0)}), std::log(6.0));
    expect_relative(log_sum_exp(std::vector{-40.0, 0.0}), 4.248354255291589e-18);
    EXPECT_EQ(log_sum_exp(std::vector{-5000.0, 0.0, log_zero}), 0);
    std::vector<double> geometric;
    for (int k = 1; k <= 60; ++k)
        geometric.push_back(-k * ln2);
    EXPECT_NEAR(log_sum_exp(geometric), 0, 2 * epsilon); // sum of 2^-k is 1 - 2^-60
}

TEST(LogSumExp, Extremes) {
    EXPECT_EQ(log_sum_exp(std::vector{log_zero, log_zero}), log_zero);
    EXPECT_EQ(log_sum_exp(std::vector{0.0, infinity, infinity}), infinity);
    EXPECT_TRUE(std::isnan(log_sum_exp(std::vector{nan, 0.0})));
    EXPECT_TRUE(std::isnan(log_sum_exp(std::vector{0.0, infinity, nan})));
    EXPECT_TRUE(std::isnan(log_sum_exp(std::vector{log_zero, nan})));
}

TEST(LogMeanExp, KnownValues) {
    EXPECT_EQ(log_mean_exp(std::vector{-7.0, -7.0}), -7);
    expect_relative(log_mean_exp(std::vector{std::log(1.0), std::log(3.0)}), ln2);
    EXPECT_EQ(log_mean_exp(std::vector{log_zero}), log_zero);
    EXPECT_THROW(log_mean_exp(std::vector<double>{}), ContractViolation);
}

} // namespace
