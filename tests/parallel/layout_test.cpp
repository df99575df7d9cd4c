#include "parallel/layout.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <vector>

using namespace pearlite;
using pearlite::parallel::BlockLayout;

namespace {

// Every property that the header promises, for one layout seen from all its ranks.
void check_layout(Index size, Index block, int ranks) {
    Index next_block = 0;
    Index next_item = 0;
    Index shortest = size + 1;
    Index longest = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        const BlockLayout layout(size, block, ranks, rank);
        ASSERT_EQ(layout.first_local_block(), next_block);
        ASSERT_EQ(layout.first_local_item(), next_item);
        Index items = 0;
        for (Index b = next_block; b < next_block + layout.local_blocks(); ++b) {
            ASSERT_EQ(layout.owner_of_block(b), rank);
            ASSERT_EQ(layout.owner_of_item(b * block), rank);
            ASSERT_EQ(layout.owner_of_item(b * block + layout.block_size(b) - 1), rank);
            ASSERT_TRUE(layout.block_size(b) == block || (b == layout.blocks() - 1 && layout.block_size(b) >= 1));
            items += layout.block_size(b);
        }
        ASSERT_EQ(layout.local_items(), items);
        shortest = std::min(shortest, layout.local_blocks());
        longest = std::max(longest, layout.local_blocks());
        next_block += layout.local_blocks();
        next_item += items;
    }
    const BlockLayout layout(size, block, ranks, 0);
    ASSERT_EQ(next_block, layout.blocks());
    ASSERT_EQ(next_item, size);
    ASSERT_EQ(layout.first_item(ranks), size);
    ASSERT_LE(longest - shortest, 1);
}

TEST(BlockLayout, DealsWholeBlocksEvenlyWhateverTheSizes) {
    for (const Index block : {1, 2, 3, 7, 16, 64})
        for (Index size = 0; size <= 130; ++size)
            for (int ranks = 1; ranks <= 9; ++ranks) {
                SCOPED_TRACE(::testing::Message() << size << " items, blocks of " << block << ", ranks " << ranks);
                check_layout(size, block, ranks);
                if (HasFatalFailure())
                    return;
            }
}

TEST(BlockLayout, FewerBlocksThanRanksLeavesTheLastRanksEmpty) {
    const BlockLayout layout(20, 16, 5, 4);
    EXPECT_EQ(layout.blocks(), 2);
    EXPECT_EQ(layout.local_blocks(), 0);
    EXPECT_EQ(layout.local_items(), 0);
    EXPECT_EQ(layout.owner_of_item(15), 0);
    EXPECT_EQ(layout.owner_of_item(16), 1);
}

TEST(BlockLayout, CountsBeyond32Bits) {
    const Index size = Index{1} << 50;
    const BlockLayout layout(size, 3, 1000, 999);
    EXPECT_EQ(layout.first_item(1000), size);
    EXPECT_EQ(layout.owner_of_item(size - 1), 999);
    EXPECT_EQ(layout.owner_of_block(layout.first_block(500)), 500);
    EXPECT_EQ(layout.owner_of_block(layout.first_block(500) - 1), 499);
}

TEST(BlockLayout, BlocksDoNotDependOnRanks) {
    const BlockLayout one(100, 16, 1, 0);
    const BlockLayout many(100, 16, 7, 3);
    ASSERT_EQ(one.blocks(), many.blocks());
    for (Index b = 0; b < one.blocks(); ++b)
        EXPECT_EQ(one.block_size(b), many.block_size(b));
}

TEST(BlockLayout, DefaultIsEmptyOnOneRank) {
    const BlockLayout layout;
    EXPECT_EQ(layout.blocks(), 0);
    EXPECT_EQ(layout.local_items(), 0);
}

TEST(BlockLayout, RefusesNonsense) {
    EXPECT_THROW(BlockLayout(-1, 1, 1, 0), ContractViolation);
    EXPECT_THROW(BlockLayout(1, 0, 1, 0), ContractViolation);
    EXPECT_THROW(BlockLayout(1, 1, 0, 0), ContractViolation);
    EXPECT_THROW(BlockLayout(1, 1, 2, 2), ContractViolation);
    const BlockLayout layout(10, 4, 2, 0);
    EXPECT_THROW(layout.owner_of_item(12), ContractViolation);
    EXPECT_THROW(layout.block_size(3), ContractViolation);
    EXPECT_THROW(layout.first_block(3), ContractViolation);
}

TEST(BlockLayout, RunsOfAnyLengthCoverTheSameBlocks) {
    const std::vector<Index> first_blocks{0, 0, 3, 3, 7, 7};
    for (int rank = 0; rank < 5; ++rank) {
        const auto layout = BlockLayout(100, 16, 5, rank).with_runs(first_blocks);
        const auto r = static_cast<std::size_t>(rank);
        EXPECT_EQ(layout.blocks(), 7);
        EXPECT_EQ(layout.local_blocks(), first_blocks[r + 1] - first_blocks[r]);
        EXPECT_EQ(layout.first_local_item(), std::min<Index>(16 * first_blocks[r], 100));
        for (Index b = layout.first_local_block(); b < layout.first_local_block() + layout.local_blocks(); ++b)
            EXPECT_EQ(layout.owner_of_block(b), rank);
        EXPECT_EQ(layout.with_equal_runs().first_local_block(), BlockLayout(100, 16, 5, rank).first_local_block());
    }
    const BlockLayout layout(100, 16, 5, 0);
    for (const auto& wrong :
         std::vector<std::vector<Index>>{{0, 1, 2, 3, 7}, {0, 1, 2, 3, 4, 6}, {1, 1, 2, 3, 4, 7}, {0, 3, 2, 4, 5, 7}})
        EXPECT_THROW(layout.with_runs(wrong), ContractViolation);
}

/// The least cost of the dearest run, by trying every cut.
double least_bottleneck(std::span<const double> costs, int ranks) {
    double total = 0;
    for (const double cost : costs)
        total += cost;
    if (ranks == 1)
        return total;
    double best = total, first = 0;
    for (std::size_t n = 0; n <= costs.size(); ++n) {
        best = std::min(best, std::max(first, least_bottleneck(costs.subspan(n), ranks - 1)));
        if (n < costs.size())
            first += costs[n];
    }
    return best;
}

TEST(BalancedRuns, TheDearestRunIsAsCheapAsItCanBe) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const auto n = static_cast<std::size_t>(random() % 9);
        const int ranks = 1 + static_cast<int>(random() % 4);
        std::vector<double> costs(n);
        for (double& cost : costs)
            cost = random() % 5 == 0 ? 0 : std::exp(static_cast<double>(random() % 1000) / 200);
        const auto runs = parallel::balanced_runs(costs, ranks);
        const auto layout = BlockLayout(static_cast<Index>(n), 1, ranks, 0).with_runs(runs); // checks the form
        double dearest = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            double sum = 0;
            for (Index b = layout.first_block(rank); b < layout.first_block(rank + 1); ++b)
                sum += costs[static_cast<std::size_t>(b)];
            dearest = std::max(dearest, sum);
        }
        EXPECT_LE(dearest, least_bottleneck(costs, ranks) * (1 + 2e-6)) << n << " blocks on " << ranks << " ranks";
    }
}

} // namespace
