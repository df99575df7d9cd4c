// Variances of chains that live with their owners: the same bits on any number of ranks, and those of gathered chains.
#include "estimator/chains.hpp"

#include "estimator/posterior.hpp"
#include "pearlite/random/stream.hpp"
#include "population/uneven_layouts.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

using parallel::BlockLayout;
using parallel::Communicator;
using population::testing::uneven_layouts;

Matrix chains_of(Index P, Index M, double correlation) {
    Matrix chains(P, M);
    random::Stream stream({94, random::Purpose::test, static_cast<std::uint64_t>(P), 0});
    for (Index m = 0; m < M; ++m)
        for (Index i = 0; i < P; ++i)
            chains(i, m) = (i == 0 ? 3 : 3 + correlation * (chains(i - 1, m) - 3)) + stream.normal();
    return chains;
}

Matrix part(const Matrix& chains, const BlockLayout& layout) {
    return chains.middleCols(layout.first_local_item(), layout.local_items());
}

TEST(ChainVarianceMpi, IsTheSameOnAnyNumberOfRanksAndThatOfGatheredChains) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index P : {2, 3, 40, 301})
        for (const Index M : {1, 3, 20})
            for (const double correlation : {0.0, 0.6, 0.98, -0.7}) {
                const Matrix chains = chains_of(P, M, correlation);
                const auto one = chain_variance(alone, chains), plain = chain_variance(chains);
                EXPECT_NEAR(one.of_a_state, plain.of_a_state, 1e-10 * plain.of_a_state);
                EXPECT_NEAR(one.long_run, plain.long_run, 1e-10 * plain.long_run);
                for (const auto& layout : uneven_layouts(ranks, M, 1)) {
                    const auto many = chain_variance(ranks, part(chains, layout));
                    EXPECT_EQ(many.of_a_state, one.of_a_state);
                    EXPECT_EQ(many.long_run, one.long_run);
                }
            }
}

TEST(ChainVarianceMpi, OfPosteriorMeansIsTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    constexpr Index P = 200, M = 7;
    const Matrix mixing = chains_of(P, M, 0.5), slow = chains_of(P, M, 0.99);
    Matrix draws(2, P * M);
    draws.row(0) = Eigen::Map<const Vector>(mixing.data(), P * M);
    draws.row(1) = Eigen::Map<const Vector>(slow.data(), P * M);
    const std::vector<std::string> names{"mixing", "slow"};
    const auto one = summarise_posterior(alone, BlockLayout(P * M, P, 1, 0), names, draws, P);

    EXPECT_NEAR(one[0].mean, mixing.mean(), 1e-12);
    EXPECT_NEAR(one[0].sd, std::sqrt((mixing.array() - mixing.mean()).square().mean()), 1e-12);
    EXPECT_NEAR(one[0].mcse, std::sqrt(chain_variance(mixing).long_run / (P * M)), 1e-12);
    EXPECT_NEAR(one[0].ess, P * M / chain_variance(mixing).tau(), 1e-6);
    EXPECT_NEAR(one[0].quantile_500, 3, 0.3);
    EXPECT_TRUE(std::isnan(one[1].mcse) && std::isnan(one[1].ess)); // chains too short for an error
    for (const auto& layout : uneven_layouts(ranks, P * M, P)) {
        const auto many = summarise_posterior(ranks, layout, names,
                                              draws.middleCols(layout.first_local_item(), layout.local_items()), P);
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_EQ(many[k].mean, one[k].mean);
            EXPECT_EQ(many[k].sd, one[k].sd);
            EXPECT_EQ(many[k].quantile_025, one[k].quantile_025);
            EXPECT_EQ(std::isnan(many[k].mcse), k == 1);
        }
        EXPECT_EQ(many[0].mcse, one[0].mcse);
    }
}

} // namespace
} // namespace pearlite::estimator
