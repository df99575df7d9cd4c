#include "estimator/plain/importance.hpp"

#include "core/log_space.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

/// Log-normal weights exp(s z): log E[w] = s^2/2.
std::vector<double> log_normal_weights(Index n, double s, std::uint64_t replicate) {
    random::Stream stream({21, random::Purpose::test, replicate, 0});
    std::vector<double> log_weights(static_cast<std::size_t>(n));
    for (double& lw : log_weights)
        lw = s * stream.normal();
    return log_weights;
}

struct MeanAndSd {
    double mean = 0, sd = 0;
};
MeanAndSd mean_and_sd(const std::vector<double>& z) {
    MeanAndSd m;
    for (const double x : z)
        m.mean += x / static_cast<double>(z.size());
    for (const double x : z)
        m.sd += (x - m.mean) * (x - m.mean) / static_cast<double>(z.size() - 1);
    m.sd = std::sqrt(m.sd);
    return m;
}

// 400 replicates: the mean of z has standard error 0.05, its standard deviation 0.035, so that right error bars are
// rejected with probability 6e-5 and 2e-5.
bool calibrated(const std::vector<double>& z) {
    const auto [mean, sd] = mean_and_sd(z);
    return std::fabs(mean) < 0.2 && sd > 0.85 && sd < 1.15;
}

TEST(Importance, ErrorBarsAreCalibrated) {
    constexpr Index m = 400;
    const double s = 0.4, truth = s * s / 2;
    std::vector<double> delta, bootstrap, twin;
    for (std::uint64_t replicate = 0; replicate < 400; ++replicate) {
        const auto log_weights = log_normal_weights(m, s, replicate);
        const auto estimate = importance_estimate(log_weights, replicate, 200);
        const double error = estimate.delta.value - truth;
        delta.push_back(error / *estimate.delta.standard_error);
        bootstrap.push_back(error / *estimate.bootstrap.standard_error);
        // The wrong twin leaves the mean in: the second moment of w for its variance.
        twin.push_back(error / std::sqrt(1 / effective_sample_size(log_weights)));
    }
    EXPECT_TRUE(calibrated(delta)) << mean_and_sd(delta).mean << " " << mean_and_sd(delta).sd;
    EXPECT_TRUE(calibrated(bootstrap)) << mean_and_sd(bootstrap).mean << " " << mean_and_sd(bootstrap).sd;
    EXPECT_FALSE(calibrated(twin));
}

// 1000 replicates of a 95 % interval: its coverage has standard error 0.007 (false alarms 2e-5).
TEST(Importance, IntervalsCover) {
    const double s = 0.4, truth = s * s / 2;
    int by_delta = 0, by_bootstrap = 0;
    for (std::uint64_t replicate = 1000; replicate < 2000; ++replicate) {
        const auto estimate = importance_estimate(log_normal_weights(150, s, replicate), replicate, 200);
        by_delta += estimate.delta.interval95->low < truth && truth < estimate.delta.interval95->high;
        by_bootstrap += estimate.bootstrap.interval95->low < truth && truth < estimate.bootstrap.interval95->high;
    }
    EXPECT_NEAR(by_delta / 1000.0, 0.95, 0.03);
    EXPECT_NEAR(by_bootstrap / 1000.0, 0.945, 0.03);
}

TEST(Importance, SmallCaseByHand) {
    const std::vector<double> log_weights{std::log(1.0) + 900, std::log(2.0) + 900, std::log(3.0) + 900, log_zero};
    EXPECT_NEAR(effective_sample_size(log_weights), 36.0 / 14, 1e-12);
    EXPECT_NEAR(delta_standard_error(log_weights), std::sqrt((14.0 / 36 - 0.25) * 4 / 3), 1e-12);
    const auto estimate = importance_estimate(log_weights, 1, 100, 1);
    EXPECT_NEAR(estimate.delta.value, 900 + std::log(1.5), 1e-12);
    EXPECT_EQ(estimate.bootstrap.value, estimate.delta.value);
    EXPECT_DOUBLE_EQ(importance_estimate(std::vector<double>{1, 2, 4}, 1).variance_log_weight, 7.0 / 3);
}

TEST(Importance, EqualWeightsHaveNoError) {
    const auto estimate = importance_estimate(std::vector<double>(50, -3.0), 1);
    EXPECT_DOUBLE_EQ(estimate.delta.value, -3);
    EXPECT_EQ(*estimate.delta.standard_error, 0);
    EXPECT_NEAR(*estimate.bootstrap.standard_error, 0, 1e-14);
    EXPECT_DOUBLE_EQ(estimate.ess, 50);
}

TEST(Importance, NoErrorBarWhereTheSampleDoesNotSupportOne) {
    std::vector<double> log_weights(100, 0.0);
    log_weights[7] = 20; // one weight decides
    const auto estimate = importance_estimate(log_weights, 1);
    for (const auto& e : {estimate.delta, estimate.bootstrap}) {
        EXPECT_FALSE(e.standard_error || e.interval95);
        EXPECT_THAT(e.note, ::testing::HasSubstr("1.0 effective trajectories of 100"));
    }
    const auto none = importance_estimate(std::vector<double>(10, log_zero), 1);
    EXPECT_EQ(none.delta.value, log_zero);
    EXPECT_EQ(none.ess, 0);
    EXPECT_FALSE(none.delta.standard_error);
    EXPECT_FALSE(importance_estimate(std::vector<double>{1.0}, 1, 10, 0).delta.standard_error);
}

TEST(Importance, ABootstrapSampleWithoutWeightIsNamed) {
    const std::vector<double> log_weights{0, log_zero, log_zero};
    const auto estimate = importance_estimate(log_weights, 1, 200, 0.5);
    EXPECT_FALSE(estimate.bootstrap.standard_error);
    EXPECT_THAT(estimate.bootstrap.note, ::testing::HasSubstr("weights that are zero"));
}

TEST(Importance, TheBootstrapIsAFunctionOfTheSeed) {
    const auto log_weights = log_normal_weights(50, 1, 1);
    EXPECT_EQ(bootstrap_log_mean(log_weights, 5, 20), bootstrap_log_mean(log_weights, 5, 20));
    EXPECT_NE(bootstrap_log_mean(log_weights, 5, 20), bootstrap_log_mean(log_weights, 6, 20));
    const auto more = bootstrap_log_mean(log_weights, 5, 30), fewer = bootstrap_log_mean(log_weights, 5, 20);
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), more.begin()));
}

/// n normal log weights of this variance, from a separate stream.
std::vector<double> normal_log_weights(double variance, std::size_t n, std::uint64_t seed) {
    random::Stream stream({seed, random::Purpose::test, 77, 0});
    std::vector<double> log_weights;
    for (std::size_t i = 0; i < n; ++i)
        log_weights.push_back(std::sqrt(variance) * stream.normal());
    return log_weights;
}

// Intervals from 1024 normal log weights cover 94 % at a variance of 1, but only 87 % at a variance of 4, and samples
// without a large weight, which miss the truth, look best. The variance of the log weights reveals them: nearly all
// samples are doubtful at 4, hardly any at 1.
TEST(Importance, NormalLogWeightsThatSpreadTooFarAreDoubtful) {
    int doubtful_at_1 = 0, doubtful_at_4 = 0, silent_by_skewness_at_4 = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        doubtful_at_1 +=
            importance_estimate(normal_log_weights(1, 1024, seed), seed, 10).doubts("draws").empty() ? 0 : 1;
        const auto wide = importance_estimate(normal_log_weights(4, 1024, seed), seed, 10);
        doubtful_at_4 += wide.doubts("draws").empty() ? 0 : 1;
        silent_by_skewness_at_4 += wide.ess >= 20 && wide.skewness_of_mean <= largest_skewness ? 1 : 0; // the twin
    }
    EXPECT_LE(doubtful_at_1, 2);
    EXPECT_GE(doubtful_at_4, 196);
    EXPECT_GE(silent_by_skewness_at_4, 80);
    // A tail of small weights does no harm.
    auto harmless = normal_log_weights(4, 1024, 1);
    for (double& lw : harmless)
        lw = std::min(lw, 0.0);
    EXPECT_TRUE(importance_estimate(harmless, 1, 10).doubts("draws").empty());
}

// At a variance of 10 the largest weights are missing in every sample, and an error bar, which an ESS of 5 alone would
// allow in most, holds the truth in few.
TEST(Importance, NormalLogWeightsThatLetNoneCountHaveNoErrorBar) {
    int with_error = 0, with_ess_of_5 = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto estimate = importance_estimate(normal_log_weights(10, 1024, seed), seed, 10);
        with_error += estimate.delta.standard_error ? 1 : 0;
        with_ess_of_5 += estimate.ess >= 5 ? 1 : 0;
    }
    EXPECT_LE(with_error, 4);
    EXPECT_GE(with_ess_of_5, 100);
}

} // namespace
} // namespace pearlite::estimator
