#include "parallel/shared_memory/shared_numbers.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

/// Exactly one rank takes each number from 0 to n - 1, at any speed of the ranks.
TEST(SharedNumbers, EachNumberIsTakenOnce) {
    const auto ranks = Communicator::world();
    constexpr Index n = 2000;
    SharedNumbers shared(ranks, 2);
    std::vector<Index> mine;
    for (Index next = shared.add(0, 1); next < n; next = shared.add(0, 1))
        mine.push_back(next);
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    auto all = ranks.all_gather(std::span<const Index>(mine));
    std::sort(all.begin(), all.end());
    ASSERT_EQ(std::ssize(all), n);
    for (Index k = 0; k < n; ++k)
        EXPECT_EQ(all[at(k)], k);
    EXPECT_EQ(shared.read(1), 0);
    ranks.barrier();
    EXPECT_EQ(shared.read(0), n + ranks.size());
    ranks.barrier();
}

/// The last rank writes while the others call nothing; they see it without its help.
TEST(SharedNumbers, RaiseKeepsTheLargest) {
    const auto ranks = Communicator::world();
    SharedNumbers shared(ranks, 3);
    shared.raise(2, ranks.rank() + 5);
    shared.raise(2, 1);
    ranks.barrier();
    EXPECT_EQ(shared.read(2), ranks.size() + 4);
    ranks.barrier();
}

TEST(SharedNumbers, ARankAloneNeedsNoOther) {
    SharedNumbers shared(Communicator::alone(), 2);
    EXPECT_EQ(shared.add(1, 7), 0);
    EXPECT_EQ(shared.add(1, -2), 7);
    shared.raise(1, 3);
    EXPECT_EQ(shared.read(1), 5);
    shared.raise(1, 30);
    EXPECT_EQ(shared.read(1), 30);
}

} // namespace
