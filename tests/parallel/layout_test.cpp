#include "pearlite/core/error.hpp"
#include "pearlite/parallel/layout.hpp"

#include <algorithm>
#include <gtest/gtest.h>

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
                SCOPED_TRACE(testing::Message() << size << " items, blocks of " << block << ", ranks " << ranks);
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

} // namespace
