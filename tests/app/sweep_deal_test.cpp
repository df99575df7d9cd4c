#include "app/sweep/cost.hpp"

#include <gtest/gtest.h>
#include <numeric>

using namespace pearlite;
using namespace pearlite::app;

namespace {

std::vector<RunCost> equal_runs(int n, double seconds, Index useful = 1000) {
    return std::vector<RunCost>(static_cast<std::size_t>(n), {seconds, useful});
}

int total(const std::vector<int>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 0);
}

TEST(SweepDeal, ManyRunsTakeSingleRanks) {
    EXPECT_EQ(deal_ranks(4, equal_runs(400, 1)), (std::vector<int>{1, 1, 1, 1}));
    EXPECT_EQ(deal_ranks(3, equal_runs(12, 1)), (std::vector<int>{1, 1, 1}));
}

TEST(SweepDeal, FewRunsShareTheRanks) {
    EXPECT_EQ(deal_ranks(8, equal_runs(2, 1)), (std::vector<int>{4, 4}));
    EXPECT_EQ(deal_ranks(7, equal_runs(1, 1)), (std::vector<int>{7}));
    // One more run than ranks: two rounds of single ranks, or one run after the other on all of them.
    const auto runs = equal_runs(9, 1);
    const auto sizes = deal_ranks(8, runs);
    EXPECT_LT(predicted_makespan(sizes, runs), 2);
}

/// One run of three takes 20 times as long. It gets most ranks; one group of all ranks may do better still.
TEST(SweepDeal, LongRunsTakeMoreRanks) {
    const std::vector<RunCost> runs{{1, 100}, {20, 100}, {1, 100}};
    const double dealt = predicted_makespan(deal_ranks(12, runs), runs);
    EXPECT_LE(dealt, predicted_makespan({10, 1, 1}, runs));
    EXPECT_LT(dealt, predicted_makespan({4, 4, 4}, runs));
    // Where the long run cannot use more than ten ranks, the others get the rest.
    EXPECT_EQ(deal_ranks(12, {{1, 1}, {20, 10}, {1, 1}}), (std::vector<int>{10, 1, 1}));
}

TEST(SweepDeal, NoRunTakesRanksThatItCannotUse) {
    const std::vector<RunCost> runs{{20, 2}, {1, 100}};
    const auto sizes = deal_ranks(8, runs);
    EXPECT_EQ(total(sizes), 8);
    EXPECT_LE(predicted_makespan(sizes, runs), 20);
    EXPECT_NEAR(predicted_makespan({2, 6}, runs), 20 / std::pow(2.0, 0.85), 1e-12);
}

/// Graham's bound: no later than 4/3 of the best possible time.
TEST(SweepDeal, LongestFirstIsNearTheBound) {
    std::vector<RunCost> runs;
    double sum = 0;
    for (int k = 0; k < 100; ++k) {
        runs.push_back({1.0 + (k * 37) % 20, 1});
        sum += runs.back().seconds;
    }
    const auto sizes = deal_ranks(2, runs);
    EXPECT_EQ(sizes, (std::vector<int>{1, 1}));
    EXPECT_LE(predicted_makespan(sizes, runs), 1.01 * sum / 2);
}

TEST(SweepDeal, AllRanksBelongToAGroup) {
    for (const int ranks : {1, 2, 3, 5, 8, 64, 1000})
        for (const int runs : {0, 1, 2, 3, 7, 60, 999})
            EXPECT_EQ(total(deal_ranks(ranks, equal_runs(runs, 1))), ranks) << ranks << " ranks, " << runs << " runs";
}

} // namespace
