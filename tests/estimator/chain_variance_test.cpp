#include "estimator/chains.hpp"

#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

/// x_{i+1} = correlation x_i + noise, of variance 1: s^2 = (1 + correlation)/(1 - correlation).
Matrix autoregressive(Index P, Index M, double correlation, std::uint64_t seed) {
    Matrix chains(P, M);
    for (Index m = 0; m < M; ++m) {
        random::Stream stream({seed, random::Purpose::test, static_cast<std::uint64_t>(m), 0});
        double x = stream.normal();
        for (Index i = 0; i < P; ++i) {
            chains(i, m) = 7 + x;
            x = correlation * x + std::sqrt(1 - correlation * correlation) * stream.normal();
        }
    }
    return chains;
}

// 100 sets of chains: means of the estimates, and the variance that they are estimates of, the mean's own over sets.
// The latter has a relative error of 14 %, so a ratio off by half is a false alarm once in 2000.
TEST(ChainVariance, IsThatOfTheMean) {
    constexpr Index P = 200, M = 10;
    constexpr int sets = 100;
    for (const double correlation : {0.0, 0.5, 0.8}) {
        double claimed = 0, twin = 0, square = 0;
        for (std::uint64_t set = 0; set < sets; ++set) {
            const Matrix chains = autoregressive(P, M, correlation, set);
            const auto variance = chain_variance(chains);
            claimed += variance.long_run / sets;
            twin += variance.of_a_state / sets; // as if the states were independent
            square += std::pow(chains.mean() - 7, 2) / sets;
        }
        const double exact = (1 + correlation) / (1 - correlation);
        EXPECT_NEAR(claimed / exact, 1, 0.15) << correlation;
        EXPECT_NEAR(claimed / (square * P * M), 1, 0.5) << correlation;
        EXPECT_NEAR(twin, 1, 0.08) << correlation;
    }
}

TEST(ChainVariance, OfChainsOfTwoStatesIsTheSumByHand) {
    Matrix chains(2, 3);
    chains << 1, 2, 6, 3, 2, 4; // mean 3; centred -2 -1 3, 0 -1 1
    const auto variance = chain_variance(chains);
    EXPECT_DOUBLE_EQ(variance.of_a_state, 16.0 / 6);
    EXPECT_DOUBLE_EQ(variance.long_run, 16.0 / 6 + 2 * 4.0 / 3);
}

TEST(ChainVariance, ChainsThatStayApartAreCorrelatedThroughout) {
    Matrix chains = autoregressive(50, 8, 0.2, 3);
    EXPECT_LT(chain_variance(chains).tau(), 3);
    for (Index m = 0; m < 8; ++m)
        chains.col(m).array() += 10 * static_cast<double>(m);
    EXPECT_GT(chain_variance(chains).tau(), 45); // of at most 50, if they do not move
}

TEST(ChainVariance, OfAConstantAndOfAntitheticChains) {
    const auto constant = chain_variance(Matrix::Constant(20, 3, 5));
    EXPECT_EQ(constant.long_run, 0);
    EXPECT_EQ(constant.tau(), 1);
    Matrix alternating(100, 10);
    for (Index i = 0; i < alternating.size(); ++i)
        alternating.data()[i] = i % 2 == 0 ? 1 : -1;
    EXPECT_NEAR(chain_variance(alternating).tau(), 1.0 / 3, 1e-12);
}

} // namespace
} // namespace pearlite::estimator
