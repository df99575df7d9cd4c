#include "population/work_balance.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

namespace pearlite::population {
namespace {

using parallel::BlockLayout;

TEST(WorkBalance, TheBusiestRankHasTheDearestRun) {
    const std::vector<double> costs{1, 2, 4, 8, 16};
    const BlockLayout equal(5, 1, 2, 0); // three blocks and two
    EXPECT_EQ(work_of_busiest_rank(equal, costs), 24);
    EXPECT_EQ(work_of_busiest_rank(equal.with_runs({0, 4, 5}), costs), 16);
    EXPECT_EQ(work_of_busiest_rank(equal.with_runs({0, 5, 5}), costs), 31);
    EXPECT_EQ(work_of_busiest_rank(BlockLayout(5, 1, 2, 1), costs), 24); // whichever rank asks
}

TEST(WorkBalance, MoreRanksThanBlocksAndNoBlocks) {
    EXPECT_EQ(work_of_busiest_rank(BlockLayout(2, 1, 4, 0), std::vector<double>{3, 5}), 5);
    EXPECT_EQ(work_of_busiest_rank(BlockLayout(0, 1, 4, 0), {}), 0);
}

TEST(WorkBalance, ARunHasItsShareOfAPiece) {
    const std::vector<double> costs{8, 4, 1}; // of blocks 0 .. 3, 4 .. 7, 8
    const BlockLayout layout(9, 1, 2, 0);
    EXPECT_EQ(work_of_busiest_rank(layout.with_runs({0, 4, 9}), costs, 4), 8);
    EXPECT_EQ(work_of_busiest_rank(layout.with_runs({0, 6, 9}), costs, 4), 10);
    EXPECT_EQ(work_of_busiest_rank(layout.with_runs({0, 2, 9}), costs, 4), 9);
    EXPECT_EQ(work_of_busiest_rank(layout.with_runs({0, 8, 9}), costs, 4), 12);
}

TEST(WorkBalance, CostsAreThoseOfAllBlocks) {
    EXPECT_THROW(work_of_busiest_rank(BlockLayout(5, 1, 2, 0), std::vector<double>{1, 2}), ContractViolation);
}

} // namespace
} // namespace pearlite::population
