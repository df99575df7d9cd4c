#include "estimator/posterior.hpp"

#include "core/log_space.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace pearlite::estimator {
namespace {

TEST(WeightedQuantile, IsTheQuantileOfRepeatedValues) {
    random::Stream stream({2, random::Purpose::test, 1, 0});
    std::vector<double> values, log_weights, repeated;
    for (int i = 0; i < 40; ++i) {
        const auto copies = stream.index(4);
        values.push_back(stream.normal());
        log_weights.push_back(copies ? std::log(static_cast<double>(copies)) + 700 : log_zero);
        repeated.insert(repeated.end(), copies, values.back());
    }
    std::sort(repeated.begin(), repeated.end());
    for (const double p : {0.01, 0.025, 0.333, 0.5, 0.9, 0.975, 0.999}) {
        const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(repeated.size())));
        EXPECT_EQ(weighted_quantile(values, log_weights, p), repeated[rank - 1]) << p;
    }
    EXPECT_EQ(weighted_quantile(values, log_weights, 0), repeated.front());
    EXPECT_EQ(weighted_quantile(std::vector<double>{4.0}, std::vector<double>{-3.0}, 0.5), 4);
}

TEST(Posterior, MomentsAndFamilies) {
    Matrix draws = Matrix::Constant(2, 24, 3);
    draws.leftCols(4) = Matrix{{1, 2, 4, 8}, {0, 0, 1, 1}};
    std::vector<double> log_weights(24, -80); // families enough, of next to no weight
    const std::array weights{0.1, 0.2, 0.3, 0.4};
    std::transform(weights.begin(), weights.end(), log_weights.begin(), [](double w) { return std::log(w); });
    std::vector<std::int64_t> eves(24);
    std::iota(eves.begin(), eves.end(), 100);
    std::copy_n(std::array{0, 7, 7, 3}.begin(), 4, eves.begin());
    const auto summaries = summarise_posterior({"a", "b"}, draws, log_weights, eves);
    const double mean = 0.1 + 0.4 + 1.2 + 3.2;
    const double variance = 0.1 * std::pow(1 - mean, 2) + 0.2 * std::pow(2 - mean, 2) + 0.3 * std::pow(4 - mean, 2) +
                            0.4 * std::pow(8 - mean, 2);
    EXPECT_NEAR(summaries[0].mean, mean, 1e-14);
    EXPECT_NEAR(summaries[0].sd, std::sqrt(variance), 1e-14);
    const double families[3] = {0.1 * (1 - mean), 0.2 * (2 - mean) + 0.3 * (4 - mean), 0.4 * (8 - mean)};
    const double square =
        (families[0] * families[0] + families[1] * families[1] + families[2] * families[2]) / (1 - 0.01 - 0.25 - 0.16);
    EXPECT_NEAR(summaries[0].mcse, std::sqrt(square), 1e-14);
    EXPECT_NEAR(summaries[0].ess, variance / square, 1e-12);
    EXPECT_EQ(summaries[0].name, "a");
    EXPECT_EQ(summaries[0].quantile_500, 4);
    EXPECT_NEAR(summaries[1].mean, 0.7, 1e-14);
}

// A single family of independent draws has no spread about its mean, and two or three have hardly any.
TEST(Posterior, FewFamiliesShowNoError) {
    Matrix draws(1, 60);
    std::vector<std::int64_t> eves(60);
    for (Index i = 0; i < 60; ++i) {
        draws(i) = static_cast<double>(i);
        eves[static_cast<std::size_t>(i)] = i % 19;
    }
    const std::vector<double> log_weights(60, 0.0);
    const auto few = summarise_posterior({"x"}, draws, log_weights, eves).front();
    EXPECT_TRUE(std::isnan(few.mcse) && std::isnan(few.ess));
    EXPECT_NEAR(few.mean, 29.5, 1e-12);
    eves.back() = 19;
    EXPECT_GT(summarise_posterior({"x"}, draws, log_weights, eves).front().mcse, 0);
}

// 2000 replicates of 200 independent draws in 20 families of very different sizes: the error is right within 10 %, and
// too small without the share that the sample's own mean takes.
TEST(Posterior, LargeFamiliesDoNotMakeTheErrorTooSmall) {
    double square = 0, claimed = 0;
    constexpr int replicates = 2000;
    double share = 0;
    for (std::uint64_t replicate = 0; replicate < replicates; ++replicate) {
        random::Stream stream({6, random::Purpose::test, replicate, 0});
        Matrix draws(1, 200);
        std::vector<std::int64_t> eves(200);
        for (Index i = 0; i < 200; ++i) {
            draws(i) = stream.normal();
            eves[static_cast<std::size_t>(i)] = i < 150 ? 0 : i % 19 + 1;
        }
        share = (150 * 150 + 12 * 9 + 7 * 4) / 4e4;
        const auto summary = summarise_posterior({"x"}, draws, std::vector<double>(200, 1.0), eves).front();
        square += summary.mean * summary.mean / replicates;
        claimed += summary.mcse * summary.mcse / replicates;
    }
    EXPECT_NEAR(claimed / square, 1, 0.1);
    EXPECT_LT(claimed * (1 - share) / square, 0.6);
}

// 2000 replicates of 100 independent weighted draws, half of them doubled into families of two: the mean's standard
// error is right within 10 % (its own uncertainty is 2 %: false alarms 1e-6), and wrong if families count as two draws.
TEST(Posterior, FamiliesCountAsOneDraw) {
    double square = 0, claimed = 0, twin = 0;
    constexpr int replicates = 2000;
    for (std::uint64_t replicate = 0; replicate < replicates; ++replicate) {
        random::Stream stream({5, random::Purpose::test, replicate, 0});
        Matrix draws(1, 150);
        std::vector<std::int64_t> eves(150), own(150);
        std::iota(own.begin(), own.end(), 0);
        for (Index i = 0; i < 100; ++i) {
            draws(i) = stream.normal();
            eves[static_cast<std::size_t>(i)] = i;
            if (i < 50) {
                draws(100 + i) = draws(i);
                eves[static_cast<std::size_t>(100 + i)] = i;
            }
        }
        const std::vector<double> log_weights(150, -2.0);
        const auto summary = summarise_posterior({"x"}, draws, log_weights, eves).front();
        square += summary.mean * summary.mean / replicates;
        claimed += summary.mcse * summary.mcse / replicates;
        const double wrong = summarise_posterior({"x"}, draws, log_weights, own).front().mcse;
        twin += wrong * wrong / replicates;
    }
    EXPECT_NEAR(claimed / square, 1, 0.15);
    EXPECT_LT(twin / square, 0.75);
}

TEST(Posterior, BatchesCombineInProportionToTheirEvidence) {
    PosteriorSummary a{"x", 1, 2, 0, 0, -3, -1, 1, 3, 5}, b{"x", 4, 1, 0, 0, 2, 3, 4, 5, 6};
    const auto combined =
        combine_batches({{a}, {b}}, std::vector<double>{-100 + std::log(0.75), -100 + std::log(0.25)}).front();
    const double mean = 0.75 * 1 + 0.25 * 4;
    EXPECT_NEAR(combined.mean, mean, 1e-13);
    EXPECT_NEAR(combined.sd, std::sqrt(0.75 * (4 + 1) + 0.25 * (1 + 16) - mean * mean), 1e-13);
    const double first = 0.75 * (1 - mean), second = 0.25 * (4 - mean);
    EXPECT_NEAR(combined.mcse, std::sqrt((first * first + second * second) * 2), 1e-13);
    EXPECT_NEAR(combined.quantile_250, -0.75 + 0.75, 1e-13);
    EXPECT_NEAR(combined.quantile_500, 0.75 + 1, 1e-13);
    EXPECT_NEAR(combined.quantile_750, 2.25 + 1.25, 1e-13);
    EXPECT_EQ(combined.name, "x");
}

} // namespace
} // namespace pearlite::estimator
