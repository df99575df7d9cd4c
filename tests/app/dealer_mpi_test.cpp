#include "app/sweep/dealer.hpp"

#include "parallel/communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace pearlite::app {
namespace {

using parallel::Communicator;

std::vector<int> all_lead(const Communicator& ranks) {
    std::vector<int> leaders(at(ranks.size()));
    std::iota(leaders.begin(), leaders.end(), 0);
    return leaders;
}

/// A run that is dealt twice or never would change a sweep's tables; the ranks differ in speed.
TEST(Dealer, EachRunIsDealtOnce) {
    const auto ranks = Communicator::world();
    for (const Index runs : {Index{0}, Index{1}, Index{400}}) {
        Dealer dealer(ranks, all_lead(ranks), std::vector<double>(at(runs), 1e-5));
        std::vector<Index> mine;
        while (const auto place = dealer.next()) {
            mine.push_back(*place);
            std::this_thread::sleep_for(std::chrono::microseconds(50 * ranks.rank()));
            dealer.ended(*place, *place % 7 == 0, 1e-5);
        }
        dealer.close([] {});
        auto all = ranks.all_gather(std::span<const Index>(mine));
        std::sort(all.begin(), all.end());
        std::vector<Index> expected(at(runs));
        std::iota(expected.begin(), expected.end(), Index{0});
        EXPECT_EQ(all, expected);
        EXPECT_EQ(dealer.count().failed, (runs + 6) / 7);
        EXPECT_EQ(dealer.count().finished, runs - (runs + 6) / 7);
        EXPECT_EQ(dealer.count().stop, 0);
    }
}

/// Rank 0 reads its letters seldom: the others must not wait for it with each run of a millisecond.
TEST(Dealer, GroupsDoNotWaitForASlowRoot) {
    const auto ranks = Communicator::world();
    if (ranks.size() == 1)
        return;
    constexpr Index runs = 600;
    Dealer dealer(ranks, all_lead(ranks), std::vector<double>(at(runs), 0.001));
    Index mine = 0;
    while (const auto place = dealer.next()) {
        const int milliseconds = ranks.is_root() ? 30 : 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        dealer.ended(*place, false, 1e-3 * milliseconds);
        ++mine;
    }
    dealer.close([] {});
    const auto of_root = ranks.all_gather(mine).front();
    // Run by run the others would wait for each of the root's, so that it would make its share of them.
    EXPECT_LT(of_root * 2 * ranks.size(), runs);
}

/// The greatest reason of any group reaches all of them, in the middle of their runs.
TEST(Dealer, AWishToStopReachesAll) {
    const auto ranks = Communicator::world();
    Dealer dealer(ranks, all_lead(ranks), std::vector<double>(1000, 1));
    Index made = 0;
    while (const auto place = dealer.next()) {
        ++made;
        ranks.barrier(); // everybody works when the wish comes
        if (*place == ranks.size() - 1)
            dealer.raise_stop(5);
        if (*place == 0)
            dealer.raise_stop(3);
        while (dealer.serve() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    dealer.close([] {});
    EXPECT_EQ(made, 1);
    EXPECT_EQ(dealer.count().stop, 5);
    EXPECT_EQ(dealer.count().finished, 0);
}

/// Ranks that lead no group wait for those that do.
TEST(Dealer, TeamsHaveOneLeader) {
    const auto ranks = Communicator::world();
    Dealer dealer(ranks, {0}, std::vector<double>(10, 1));
    Index made = 0;
    if (ranks.is_root())
        while (const auto place = dealer.next()) {
            dealer.ended(*place, false, 1);
            ++made;
        }
    dealer.close([] {});
    EXPECT_EQ(dealer.count().finished, 10);
    EXPECT_EQ(ranks.sum(made), 10);
}

} // namespace
} // namespace pearlite::app
