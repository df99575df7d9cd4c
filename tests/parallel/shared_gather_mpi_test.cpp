#include "parallel/rank_costs.hpp"
#include "parallel/shared_memory/shared_gather.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

using Memory = SharedGather::Memory;
constexpr Memory memories[] = {Memory::shared_on_one_machine, Memory::own};

std::byte number(std::size_t i, int rank, int round) {
    return static_cast<std::byte>(i * 7919 + static_cast<std::size_t>(rank) * 31 + static_cast<std::size_t>(round));
}

void write(SharedGather& shared, int rank, int round) {
    const auto own = shared.own();
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = number(i, rank, round);
}

bool has_all(const SharedGather& shared, int ranks, std::size_t bytes, int round) {
    for (int rank = 0; rank < ranks; ++rank) {
        const auto its = shared.of(rank);
        if (its.size() != bytes)
            return false;
        for (std::size_t i = 0; i < bytes; ++i)
            if (its[i] != number(i, rank, round))
                return false;
    }
    return true;
}

TEST(SharedGather, HasTheArraysOfAllRanksRoundAfterRound) {
    const auto ranks = Communicator::world();
    for (const auto memory : memories)
        for (const std::size_t bytes : {1, 16, 64, 1000, 100000}) {
            SharedGather shared(ranks, bytes, memory);
            for (int round = 0; round < 20; ++round) {
                ASSERT_EQ(shared.own().size(), bytes);
                write(shared, ranks.rank(), round);
                shared.gather();
                EXPECT_TRUE(has_all(shared, ranks.size(), bytes, round)) << bytes << " bytes, round " << round;
            }
        }
}

/// Another rank, already further ahead, writes its next contribution.
TEST(SharedGather, KeepsWhatARankStillReads) {
    const auto ranks = Communicator::world();
    for (const auto memory : memories) {
        SharedGather shared(ranks, 1000, memory);
        for (int round = 0; round < 12; ++round) {
            write(shared, ranks.rank(), round);
            shared.gather();
            if (round % ranks.size() == ranks.rank())
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            else
                write(shared, ranks.rank(), round + 1);
            EXPECT_TRUE(has_all(shared, ranks.size(), 1000, round)) << "round " << round;
        }
    }
}

/// Ranks of one machine wait for each other without MPI; messages must still make progress.
TEST(SharedGather, LetsMessagesThroughWhileRanksWait) {
    const auto ranks = Communicator::world();
    const int next = (ranks.rank() + 1) % ranks.size(), last = (ranks.rank() + ranks.size() - 1) % ranks.size();
    for (const auto memory : memories) {
        SharedGather shared(ranks, 64, memory);
        // More short messages than fit on the way, which the sender takes for sent: some are still its own to send.
        constexpr int messages = 4000;
        std::vector<std::byte> out(64, std::byte{7}), in(64);
        std::vector<Communicator::Request> sent;
        for (int k = 0; k < messages; ++k)
            sent.push_back(ranks.send(next, 0, out));
        write(shared, ranks.rank(), 1);
        if (ranks.rank() % 2 == 0)
            shared.gather();
        for (int k = 0; k < messages; ++k)
            ranks.receive(last, 0, in).wait();
        if (ranks.rank() % 2 == 1)
            shared.gather();
        for (auto& request : sent)
            request.wait();
        EXPECT_TRUE(has_all(shared, ranks.size(), 64, 1));
        EXPECT_EQ(in, out);
    }
}

TEST(SharedGather, CountsAsACollectiveOfSeveralRanks) {
    const auto ranks = Communicator::world();
    const bool is_alone = ranks.size() == 1;
    for (const auto memory : memories) {
        SharedGather shared(ranks, 100, memory);
        const auto before = message_count();
        shared.gather();
        const auto counts = message_count() - before;
        EXPECT_EQ(counts.other_collectives, is_alone ? 0 : 1);
        EXPECT_EQ(counts.collected_bytes, is_alone ? 0 : 100 * ranks.size());
    }
}

} // namespace
