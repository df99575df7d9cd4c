#include "parallel/communicator.hpp"
#include "parallel/rank_costs.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

// Each test runs with messages of any length and with messages of 7 bytes at most: the way of what MPI cannot count.
class Collectives : public ::testing::TestWithParam<std::size_t> {
  protected:
    Communicator ranks = Communicator::world().with_largest_message(GetParam());
    int rank = ranks.rank();
    int size = ranks.size();
};

INSTANTIATE_TEST_SUITE_P(MessageLimit, Collectives, ::testing::Values(std::size_t{1} << 30, 7));

// The message of rank `from` to rank `to`, with a length and contents that no other pair has.
std::vector<std::uint64_t> letter(int from, int to) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(100 * from + to));
    std::vector<std::uint64_t> values(static_cast<std::size_t>((7 * from + 3 * to) % 11));
    for (auto& value : values)
        value = engine();
    return values;
}

std::vector<std::uint64_t> all_letters(int size, int to) {
    std::vector<std::uint64_t> all;
    for (int from = 0; from < size; ++from) {
        const auto values = letter(from, to);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

TEST_P(Collectives, WorldIsWhatItShouldBe) {
    EXPECT_GE(rank, 0);
    EXPECT_LT(rank, size);
    EXPECT_EQ(ranks.is_root(), rank == 0);
    ranks.barrier();
}

TEST_P(Collectives, IntegerReductions) {
    EXPECT_EQ(ranks.max(Index{rank}), size - 1);
    EXPECT_EQ(ranks.max(Index{-rank}), 0);
    EXPECT_EQ(ranks.sum(Index{1} << 40), Index{size} << 40);
    std::vector<std::int64_t> values(100);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::int64_t>(i) * (rank + 1);
    ranks.sum(values);
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], static_cast<std::int64_t>(i) * size * (size + 1) / 2);
}

TEST_P(Collectives, SumsOfNarrowIntegers) {
    const auto in_pieces = ranks.with_largest_message(100);
    std::vector<std::int32_t> values(1001);
    std::vector<std::int16_t> narrow(values.size()), sums(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int value = -static_cast<int>(i) * (rank + 1);
        values[i] = 1000 * value;
        narrow[i] = static_cast<std::int16_t>(value);
    }
    in_pieces.sum(std::span(values));
    in_pieces.sum(narrow, sums);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int sum = -static_cast<int>(i) * size * (size + 1) / 2;
        EXPECT_EQ(values[i], 1000 * sum);
        EXPECT_EQ(sums[i], sum);
        EXPECT_EQ(narrow[i], -static_cast<int>(i) * (rank + 1)); // as they were
    }
}

TEST_P(Collectives, MaximumOfDoubles) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool last = rank == size - 1;
    EXPECT_EQ(ranks.max(last ? -1.5 : -2.5), -1.5);
    EXPECT_EQ(ranks.max(-infinity), -infinity);
    EXPECT_EQ(ranks.max(last ? infinity : 1e308), infinity);
    EXPECT_FALSE(std::signbit(ranks.max(last ? 0.0 : -0.0)));
    for (int holder = 0; holder < size; ++holder)
        for (const double nan : {std::nan(""), -std::nan("")})
            EXPECT_TRUE(std::isnan(ranks.max(rank == holder ? nan : infinity)));
    std::vector<double> values{1.0 * rank, -1.0 * rank, 5e-324 * rank};
    ranks.max(values);
    EXPECT_EQ(values, (std::vector{1.0 * (size - 1), 0.0, 5e-324 * (size - 1)}));
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
    for (int root = 0; root < size; ++root) {
        std::vector<double> values(13, rank == root ? 1.25 : 0.0);
        ranks.broadcast(std::span(values), root);
        EXPECT_EQ(values, std::vector<double>(13, 1.25));
        for (const std::string& text : {std::string("a longer text than seven bytes"), std::string()})
            EXPECT_EQ(ranks.broadcast(rank == root ? text : "something else of another length, longer", root), text);
    }
}

TEST_P(Collectives, AllGatherOfValuesAndOfRuns) {
    struct Pair {
        int rank;
        double half;
    };
    const auto pairs = ranks.all_gather(Pair{rank, rank / 2.0});
    ASSERT_EQ(pairs.size(), static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r) {
        EXPECT_EQ(pairs[static_cast<std::size_t>(r)].rank, r);
        EXPECT_EQ(pairs[static_cast<std::size_t>(r)].half, r / 2.0);
    }
    EXPECT_EQ(ranks.all_gather(std::span<const std::uint64_t>(letter(rank, 5))), all_letters(size, 5));
    EXPECT_TRUE(ranks.all_gather(std::span<const int>()).empty());
}

TEST_P(Collectives, GatherToEveryRoot) {
    for (int root = 0; root < size; ++root) {
        const auto gathered = ranks.gather(std::span<const std::uint64_t>(letter(rank, root)), root);
        EXPECT_EQ(gathered, rank == root ? all_letters(size, root) : std::vector<std::uint64_t>());
    }
}

TEST_P(Collectives, AllToAll) {
    std::vector<std::vector<std::uint64_t>> outgoing;
    for (int to = 0; to < size; ++to)
        outgoing.push_back(letter(rank, to));
    const auto incoming = ranks.all_to_all(outgoing);
    ASSERT_EQ(incoming.size(), static_cast<std::size_t>(size));
    for (int from = 0; from < size; ++from)
        EXPECT_EQ(incoming[static_cast<std::size_t>(from)], letter(from, rank));
}

// Pairs of ranks without data exchange no message, on any number of ranks.
TEST_P(Collectives, AllToAllSendsWhatThereIs) {
    std::vector<std::vector<std::uint64_t>> outgoing(static_cast<std::size_t>(size));
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    outgoing[static_cast<std::size_t>(next)] = {1, 2, static_cast<std::uint64_t>(rank)};
    const auto before = message_count();
    const auto incoming = ranks.all_to_all(outgoing);
    const auto messages = message_count() - before;
    const Index pieces = 1 + 23 / static_cast<Index>(ranks.largest_message());
    EXPECT_EQ(messages.sends, size > 1 ? pieces : 0);
    EXPECT_EQ(messages.sent_bytes, size > 1 ? 24 : 0);
    EXPECT_EQ(messages.collected_bytes, 8 * size);
    for (int from = 0; from < size; ++from)
        EXPECT_EQ(incoming[static_cast<std::size_t>(from)].size(), from == previous ? 3u : 0u);
    EXPECT_EQ(incoming[static_cast<std::size_t>(previous)].back(), static_cast<std::uint64_t>(previous));
}

TEST_P(Collectives, SplitGroupsByColorInRankOrder) {
    const Communicator group = ranks.split(rank % 2);
    EXPECT_EQ(group.size(), (size + 1 - rank % 2) / 2);
    EXPECT_EQ(group.rank(), rank / 2);
    EXPECT_EQ(group.largest_message(), ranks.largest_message());
    const auto members = group.all_gather(rank);
    for (int i = 0; i < group.size(); ++i)
        EXPECT_EQ(members[static_cast<std::size_t>(i)], 2 * i + rank % 2);
}

TEST_P(Collectives, PointToPointAroundTheRing) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    const std::vector<int> mine(50, rank);
    std::vector<int> theirs(50, -1);
    Communicator::Request receive = ranks.receive(previous, 4, std::as_writable_bytes(std::span(theirs)));
    Communicator::Request send;
    send = ranks.send(next, 4, std::as_bytes(std::span(mine)));
    receive.wait();
    send.wait();
    send.wait(); // a finished request waits for nothing
    EXPECT_EQ(theirs, std::vector<int>(50, previous));
}

TEST_P(Collectives, AReceiveThatIsGivenUpTakesNothing) {
    int value = -1;
    { const auto given_up = ranks.receive((rank + 1) % size, 9, std::as_writable_bytes(std::span(&value, 1))); }
    ranks.barrier();
    auto send = ranks.send((rank + size - 1) % size, 9, std::as_bytes(std::span(&rank, 1)));
    auto receive = ranks.receive((rank + 1) % size, 9, std::as_writable_bytes(std::span(&value, 1)));
    receive.wait();
    send.wait();
    EXPECT_EQ(value, (rank + 1) % size);
}

TEST(AloneBesideMpi, StaysAlone) {
    const Communicator alone = Communicator::alone();
    EXPECT_EQ(alone.size(), 1);
    EXPECT_EQ(alone.all_gather(Communicator::world().rank()).size(), 1U);
}

} // namespace
