// The bootstrap by addressed numbers of copies: its moments, and its errors against the bootstrap that draws indices.
#include "estimator/evidence/bootstrap.hpp"

#include "core/log_space.hpp"
#include "estimator/plain/importance.hpp"
#include "estimator/shards_of.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

using estimator::testing::whole;

std::vector<double> log_normal_weights(std::size_t n, double s, std::uint64_t replicate) {
    random::Stream stream({81, random::Purpose::test, replicate, 0});
    std::vector<double> log_weights(n);
    for (double& lw : log_weights)
        lw = s * stream.normal();
    return log_weights;
}

double sd(const std::vector<double>& values) {
    double mean = 0, square = 0;
    for (const double x : values)
        mean += x / static_cast<double>(values.size());
    for (const double x : values)
        square += (x - mean) * (x - mean);
    return std::sqrt(square / static_cast<double>(values.size() - 1));
}

// 4e6 copies: mean and variance have standard errors 5e-4 and 9e-4; five of them.
TEST(Bootstrap, CopiesHaveMeanAndVarianceOne) {
    std::array<double, most_copies + 1> counts{};
    std::vector<std::uint16_t> copies(1001);
    double n = 0, sum = 0, squares = 0, neighbours = 0;
    for (std::uint64_t item = 0; item < 4000; ++item) {
        draw_copies({5, random::Purpose::bootstrap, item, 2}, copies);
        for (std::size_t r = 0; r < copies.size(); ++r) {
            ASSERT_LE(copies[r], most_copies);
            ++counts[copies[r]];
            ++n;
            sum += copies[r];
            squares += copies[r] * copies[r];
            neighbours += r > 0 ? (copies[r] - 1.0) * (copies[r - 1] - 1.0) : 0;
        }
    }
    EXPECT_NEAR(sum / n, 1, 2.5e-3);
    EXPECT_NEAR(squares / n - 1, 1, 4.5e-3 * 2);
    EXPECT_NEAR(neighbours / n, 0, 2.5e-3); // the halves of a word
    double poisson = std::exp(-1.0);
    for (int k = 0; k < 6; ++k) {
        EXPECT_NEAR(counts[static_cast<std::size_t>(k)] / n, poisson, 3e-4 + 5 * std::sqrt(poisson / n)) << k;
        poisson /= k + 1;
    }
}

TEST(Bootstrap, MoreReplicatesKeepTheFirst) {
    std::vector<std::uint16_t> few(77), many(3001);
    draw_copies({5, random::Purpose::bootstrap, 9, 2}, few);
    draw_copies({5, random::Purpose::bootstrap, 9, 2}, many);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
    const auto log_weights = log_normal_weights(50, 1, 1);
    const auto more = bootstrap_log_mean(whole(log_weights), 5, 30),
               fewer = bootstrap_log_mean(whole(log_weights), 5, 20);
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), more.begin()));
    EXPECT_NE(fewer, bootstrap_log_mean(whole(log_weights), 6, 20));
}

// With 5000 replicates each, the standard deviation has an error of 1 %, and a 2.5 % quantile one of about 2 % of the
// standard deviation. The two bootstraps themselves differ by 1/M.
TEST(Bootstrap, ReplicatesAreSpreadLikeThoseOfDrawnIndices) {
    for (const double s : {0.3, 1.0}) {
        const auto log_weights = log_normal_weights(600, s, 2);
        auto drawn = bootstrap_log_mean(log_weights, 1, 5000), copied = bootstrap_log_mean(whole(log_weights), 1, 5000);
        ASSERT_EQ(copied.size(), drawn.size());
        EXPECT_NEAR(sd(copied) / sd(drawn), 1, 0.06) << s;
        std::sort(drawn.begin(), drawn.end());
        std::sort(copied.begin(), copied.end());
        for (const std::size_t place : {125u, 2500u, 4875u})
            EXPECT_NEAR((copied[place] - drawn[place]) / sd(drawn), 0, 0.15) << s;

        // The wrong twin divides by the number of particles, where the number of copies varies too.
        std::vector<double> twin(5000, 0.0);
        std::vector<std::uint16_t> copies(5000);
        for (std::size_t i = 0; i < log_weights.size(); ++i) {
            draw_copies({1, random::Purpose::bootstrap, i, 2}, copies);
            for (std::size_t r = 0; r < copies.size(); ++r)
                twin[r] += copies[r] * std::exp(log_weights[i]) / 600;
        }
        for (double& x : twin)
            x = std::log(x);
        EXPECT_GT(sd(twin) / sd(drawn), 1.2) << s;
    }
}

// 400 replicates: the mean of z has standard error 0.05, its standard deviation 0.035, so that right error bars are
// rejected with probability 6e-5 and 2e-5. The twin counts every particle twice.
TEST(Bootstrap, ErrorBarsAreCalibrated) {
    const double s = 0.4, truth = s * s / 2;
    std::vector<double> z, delta, twin;
    for (std::uint64_t replicate = 0; replicate < 400; ++replicate) {
        const auto log_weights = log_normal_weights(400, s, replicate + 100);
        const auto estimate = importance_estimate(whole(log_weights), replicate, 200);
        z.push_back((estimate.bootstrap.value - truth) / *estimate.bootstrap.standard_error);
        delta.push_back((estimate.delta.value - truth) / *estimate.delta.standard_error);
        std::vector<double> doubled = log_weights;
        doubled.insert(doubled.end(), log_weights.begin(), log_weights.end());
        twin.push_back((estimate.bootstrap.value - truth) /
                       *importance_estimate(whole(doubled), replicate, 200).bootstrap.standard_error);
    }
    EXPECT_NEAR(sd(z), 1, 0.15);
    EXPECT_NEAR(sd(delta), 1, 0.15);
    EXPECT_GT(sd(twin), 1.25);
}

TEST(Bootstrap, SaysWhyThereIsNoErrorBar) {
    const std::vector<double> zeros{0, log_zero, log_zero};
    const auto estimate = importance_estimate(whole(zeros), 1, 200, 0.5);
    EXPECT_FALSE(estimate.bootstrap.standard_error);
    EXPECT_THAT(estimate.bootstrap.note, ::testing::HasSubstr("weights that are zero"));
    EXPECT_EQ(importance_estimate(whole(std::vector<double>(10, log_zero)), 1).delta.value, log_zero);
    std::vector<double> one_decides(100, 0.0);
    one_decides[7] = 20;
    EXPECT_THAT(importance_estimate(whole(one_decides), 1).delta.note,
                ::testing::HasSubstr("1.0 effective trajectories of 100"));
    const auto equal = importance_estimate(whole(std::vector<double>(50, -3.0)), 1);
    EXPECT_NEAR(*equal.bootstrap.standard_error, 0, 1e-14);
    EXPECT_EQ(*equal.delta.standard_error, 0);
}

} // namespace
} // namespace pearlite::estimator
