// Blocks that move to other ranks keep particles, weights and Eves, and the new runs of blocks share work equally.
#include "parallel/rank_costs.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "population/column_blocks.hpp"
#include "population/generation.hpp"
#include "population/work_balance.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace pearlite::population {
namespace {

using parallel::BlockLayout;
using parallel::Communicator;
using testing_support::column_blocks;
using testing_support::columns_of;

/// Rank boundaries anywhere, also such that ranks have nothing.
std::vector<Index> random_runs(Index blocks, int ranks, std::uint64_t id) {
    random::Stream stream({17, random::Purpose::test, id, 0});
    std::vector<Index> first_blocks{0, blocks};
    for (int rank = 1; rank < ranks; ++rank)
        first_blocks.push_back(static_cast<Index>(stream.index(static_cast<std::uint64_t>(blocks) + 1)));
    std::sort(first_blocks.begin(), first_blocks.end());
    return first_blocks;
}

/// A label of the particle in a slot, different for each part of its state.
double label(Index slot, Index part) {
    return static_cast<double>(slot * 7 + part) / 3;
}

void expect_labels(const Generation& generation, const BlockLayout& layout) {
    EXPECT_EQ(generation.layout().first_local_item(), layout.first_local_item());
    ASSERT_EQ(generation.local_size(), layout.local_items());
    for (Index i = 0; i < layout.local_items(); ++i) {
        const Index slot = layout.first_local_item() + i;
        const auto& columns = columns_of(generation.block(i / layout.block()));
        ASSERT_EQ(columns(0, i % layout.block()), label(slot, 0));
        ASSERT_EQ(columns(1, i % layout.block()), label(slot, 1));
        ASSERT_EQ(generation.log_weights()[static_cast<std::size_t>(i)], label(slot, 2));
        ASSERT_EQ(generation.eves()[static_cast<std::size_t>(i)], slot + 5);
    }
}

TEST(DealMpi, ParticlesWeightsAndEvesKeepTheirSlots) {
    const auto ranks = Communicator::world();
    for (const Index size : {1, 9, 100, 1000})
        for (const Index block : {1, 16}) {
            BlockLayout layout(size, block, ranks.size(), ranks.rank());
            Generation generation(layout, 0, column_blocks<double>(2));
            for (Index i = 0; i < layout.local_items(); ++i) {
                const Index slot = layout.first_local_item() + i;
                auto& columns = columns_of(generation.block(i / block));
                columns(0, i % block) = label(slot, 0);
                columns(1, i % block) = label(slot, 1);
                generation.log_weights()[static_cast<std::size_t>(i)] = label(slot, 2);
                generation.eves()[static_cast<std::size_t>(i)] = slot + 5;
            }
            for (std::uint64_t time = 0; time < 20; ++time) {
                const auto runs = random_runs(layout.blocks(), ranks.size(), time);
                const auto to = layout.with_runs(runs);
                Index expected = 0, prepared = 0;
                for (Index b = to.first_local_block(); b < to.first_local_block() + to.local_blocks(); ++b)
                    expected += layout.owner_of_block(b) != ranks.rank();
                deal(ranks, generation, to, 2 * sizeof(double), column_blocks<double>(2), [&](Block&) { ++prepared; });
                EXPECT_EQ(prepared, expected);
                layout = to;
                expect_labels(generation, layout);
            }
        }
}

TEST(DealMpi, AFailureOfOneRankIsOneOfAll) {
    const auto ranks = Communicator::world();
    if (ranks.size() == 1)
        GTEST_SKIP() << "needs two ranks: with one nothing moves";
    const BlockLayout layout(40, 4, ranks.size(), ranks.rank());
    Generation generation(layout, 0, column_blocks<double>(2));
    std::vector<Index> runs(static_cast<std::size_t>(ranks.size()) + 1, 10); // all to the first
    runs.front() = 0;
    EXPECT_THROW(deal(ranks, generation, layout.with_runs(runs), 2 * sizeof(double), column_blocks<double>(2),
                      [](Block&) { throw NumericalError("cannot prepare"); }),
                 NumericalError);
}

/// A step in which global block b takes cost(b) milliseconds; no clock is read, which other programs would disturb.
template <class Cost>
void work(WorkBalance& balance, const BlockLayout& layout, const Cost& cost) {
    for (Index b = 0; b < layout.local_blocks(); ++b)
        balance.note(b, 1e-3 * cost(layout.first_local_block() + b));
}

TEST(WorkBalanceMpi, DearBlocksAreShared) {
    const auto ranks = Communicator::world();
    const Index blocks = 8 * ranks.size();
    BlockLayout layout(blocks * 16, 16, ranks.size(), ranks.rank());
    const auto cost = [](Index b) { return b < 6 ? 4.0 : 0.5; };
    for (const bool is_declared : {false, true}) {
        WorkBalance balance(ranks, true);
        work(balance, layout, cost);
        std::vector<double> declared;
        for (Index b = 0; is_declared && b < layout.local_blocks(); ++b)
            declared.push_back(cost(layout.first_local_block() + b));
        if (!balance.is_due()) {
            EXPECT_EQ(ranks.size(), 1);
            continue;
        }
        const auto runs = balance.better_runs(layout, declared, 100);
        ASSERT_TRUE(runs.has_value());
        const auto better = layout.with_runs(*runs);
        work(balance, better, cost);
        ASSERT_TRUE(balance.is_due()); // steps are long
        EXPECT_FALSE(balance.better_runs(better, {}, 100).has_value());

        double total = 0, first = 0;
        for (Index b = 0; b < blocks; ++b)
            total += cost(b);
        for (Index b = 0; b < better.first_block(1); ++b)
            first += cost(b);
        EXPECT_LE(first, total / ranks.size() + 4);
        EXPECT_EQ(balance.account().deals, 1);
        EXPECT_GE(balance.account().blocks_moved, 1);
        EXPECT_LT(balance.account().busiest, balance.account().busiest_of_equal_runs);
        EXPECT_GE(balance.account().busiest, balance.account().mean);
    }
}

TEST(WorkBalanceMpi, ManyBlocksAreSharedByPieces) {
    const auto ranks = Communicator::world();
    const Index blocks = 3 * WorkBalance::most_pieces - 1;
    const BlockLayout layout(blocks, 1, ranks.size(), ranks.rank());
    const auto cost = [&](Index b) { return b < blocks / 4 ? 4e-3 : 1e-3; };
    WorkBalance balance(ranks, true);
    work(balance, layout, cost);
    std::vector<double> declared;
    for (Index b = 0; b < layout.local_blocks(); ++b)
        declared.push_back(cost(layout.first_local_block() + b));
    if (!balance.is_due())
        return; // alone
    const auto before = parallel::message_count();
    const auto runs = balance.better_runs(layout, declared, 1);
    EXPECT_LE((parallel::message_count() - before).collected_bytes,
              24 * (WorkBalance::most_pieces + ranks.size()) + 8 * ranks.size());
    ASSERT_TRUE(runs.has_value());
    EXPECT_EQ(runs->back(), blocks);
    for (std::size_t r = 1; r + 1 < runs->size(); ++r)
        EXPECT_EQ(runs->at(r) % 3, 0);
    EXPECT_LT(runs->at(1), layout.first_block(1));
    EXPECT_LT(balance.account().mean, balance.account().busiest);
}

TEST(WorkBalanceMpi, BlocksStayWhereItDoesNotPay) {
    const auto ranks = Communicator::world();
    BlockLayout layout(64 * ranks.size(), 16, ranks.size(), ranks.rank());
    const auto uneven = [](Index b) { return b == 0 ? 5.0 : 1.0; };
    const auto proposal = [&](bool deals, const auto& cost, std::size_t block_bytes) {
        WorkBalance balance(ranks, deals);
        work(balance, layout, cost);
        return balance.is_due() && balance.better_runs(layout, {}, block_bytes).has_value();
    };
    EXPECT_EQ(proposal(true, uneven, 100), ranks.size() > 1);
    EXPECT_FALSE(proposal(false, uneven, 100));                 // not wanted
    EXPECT_FALSE(proposal(true, uneven, std::size_t{1} << 30)); // takes longer than it saves
    EXPECT_FALSE(proposal(
        true, [](Index) { return 0.0; }, std::size_t{1})); // nothing to share
}

} // namespace
} // namespace pearlite::population
