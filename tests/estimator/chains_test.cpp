#include "estimator/plain/chains.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::estimator {
namespace {

/// Stationary autoregressive chains of standard deviation 1 around `mean`.
Matrix stationary_chains(Index n, Index chains, double correlation, double mean = 0, std::uint64_t seed = 1) {
    Matrix draws(n, chains);
    for (Index c = 0; c < chains; ++c) {
        random::Stream stream({seed, random::Purpose::test, static_cast<std::uint64_t>(c), 0});
        double x = stream.normal();
        for (Index i = 0; i < n; ++i) {
            draws(i, c) = mean + x;
            x = correlation * x + std::sqrt(1 - correlation * correlation) * stream.normal();
        }
    }
    return draws;
}

// The ESS of an autoregressive mean is n C (1 - r)/(1 + r); the estimate of 4 x 5000 draws is within 10 %.
TEST(Chains, EssIsThatOfAnAutoregression) {
    for (const double r : {0.0, 0.5, 0.9, -0.3}) {
        const Matrix draws = stationary_chains(5000, 4, r);
        const double exact = std::min(20000 * (1 - r) / (1 + r), 20000 * std::log10(20000.0));
        EXPECT_NEAR(chain_ess(draws) / exact, 1, 0.1) << r;
        EXPECT_NEAR(bulk_ess(draws) / exact, 1, 0.1) << r;
    }
}

TEST(Chains, ErrorsOfMeansAreCalibrated) {
    double claimed = 0, square = 0;
    constexpr int replicates = 400;
    for (std::uint64_t seed = 0; seed < replicates; ++seed) {
        const auto summary = summarise_chains({"x"}, {stationary_chains(500, 2, 0.7, 3, seed)}).front().posterior;
        claimed += summary.mcse * summary.mcse / replicates;
        square += (summary.mean - 3) * (summary.mean - 3) / replicates;
    }
    EXPECT_NEAR(claimed / square, 1, 0.25); // 400 squares: 7 % each, 3.5 of it
}

TEST(Chains, RHatIsOneOfChainsThatAgree) {
    EXPECT_LT(split_r_hat(stationary_chains(2000, 4, 0.5)), 1.01);
}

TEST(Chains, RHatFindsChainsThatDoNot) {
    Matrix draws = stationary_chains(2000, 4, 0.5);
    draws.col(2).array() += 1; // another place
    EXPECT_GT(split_r_hat(draws), 1.05);
    draws = stationary_chains(2000, 4, 0.5);
    draws.col(1) *= 3; // another scale, the same place
    EXPECT_GT(split_r_hat(draws), 1.05);
    draws = stationary_chains(2000, 1, 0.5);
    draws.col(0).tail(1000).array() += 1; // one chain that drifts
    EXPECT_GT(split_r_hat(draws), 1.05);
}

TEST(Chains, StuckOrBrokenChainsAreNotANumber) {
    EXPECT_TRUE(std::isnan(split_r_hat(Matrix::Ones(100, 4))));
    Matrix draws = stationary_chains(100, 4, 0);
    draws(3, 1) = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(std::isnan(bulk_ess(draws)));
    // each chain stuck at a place of its own
    Matrix stuck(100, 3);
    stuck.col(0).setConstant(1);
    stuck.col(1).setConstant(2);
    stuck.col(2).setConstant(4);
    EXPECT_GT(split_r_hat(stuck), 1000);
    EXPECT_LT(chain_ess(stuck), 10);
}

TEST(Chains, SummaryIsThatOfTheDraws) {
    const auto summary = summarise_chains({"x"}, {stationary_chains(20000, 2, 0.2, 5)}).front();
    EXPECT_EQ(summary.posterior.name, "x");
    EXPECT_NEAR(summary.posterior.mean, 5, 5 * summary.posterior.mcse);
    EXPECT_NEAR(summary.posterior.sd, 1, 0.03);
    EXPECT_NEAR(summary.posterior.quantile_025, 5 - 1.96, 0.05);
    EXPECT_NEAR(summary.posterior.quantile_975, 5 + 1.96, 0.05);
    EXPECT_GT(summary.tail_ess, 5000);
}

} // namespace
} // namespace pearlite::estimator
