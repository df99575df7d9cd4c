// Every item says who sent it to whom and which it is, so that a lost, doubled, mixed up or torn one is seen. Large
// items go by rendezvous (a send ends only when it is received), where a wrong order of waiting hangs; CTest bounds the
// time.
#include "parallel/exchange.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

// traffic[from][to]: number of items; the same on all ranks.
using Traffic = std::vector<std::vector<Index>>;

Traffic no_traffic(int size) {
    return Traffic(static_cast<std::size_t>(size), std::vector<Index>(static_cast<std::size_t>(size), 0));
}

struct Shape {
    std::size_t item_bytes = 24;
    Index chunk = 256;
    int ring = 16;
};

// The 24 bytes of (from, to, item), repeated and cut to the item's length.
void fill_item(std::span<std::byte> bytes, int from, int to, Index item) {
    const std::array<Index, 3> mark{from, to, item};
    for (std::size_t first = 0; first < bytes.size(); first += sizeof(mark))
        std::memcpy(bytes.data() + first, mark.data(), std::min(sizeof(mark), bytes.size() - first));
}

void check_exchange(const Traffic& traffic, const Shape& shape) {
    const Communicator ranks = Communicator::world();
    const int me = ranks.rank();
    const auto mine = static_cast<std::size_t>(me);
    std::vector<Transfer> outgoing;
    std::vector<Transfer> incoming;
    for (int peer = 0; peer < ranks.size(); ++peer) {
        const auto p = static_cast<std::size_t>(peer);
        if (traffic[mine][p] > 0)
            outgoing.push_back({peer, traffic[mine][p]});
        if (traffic[p][mine] > 0)
            incoming.insert(incoming.begin(), {peer, traffic[p][mine]}); // the order of the list must not matter
    }
    std::vector<Index> packed(traffic.size(), 0);
    std::vector<Index> unpacked(traffic.size(), 0);
    std::vector<std::byte> expected(shape.item_bytes);
    int wrong = 0;
    exchange(
        ranks, shape.item_bytes, outgoing, incoming,
        [&](int peer, Index item, std::span<std::byte> out) {
            wrong += packed[static_cast<std::size_t>(peer)]++ != item || out.size() != shape.item_bytes;
            fill_item(out, me, peer, item);
        },
        [&](int peer, Index item, std::span<const std::byte> in) {
            wrong += unpacked[static_cast<std::size_t>(peer)]++ != item;
            fill_item(expected, peer, me, item);
            wrong += !std::ranges::equal(in, expected);
        },
        shape.chunk, shape.ring);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(packed, traffic[mine]);
    for (std::size_t p = 0; p < traffic.size(); ++p)
        EXPECT_EQ(unpacked[p], traffic[p][mine]);
}

Traffic random_traffic(std::mt19937_64& engine, int size, Index most) {
    Traffic traffic = no_traffic(size);
    for (std::size_t from = 0; from < traffic.size(); ++from)
        for (std::size_t to = 0; to < traffic.size(); ++to)
            if (from != to && engine() % 3 != 0)
                traffic[from][to] = static_cast<Index>(engine() % static_cast<std::uint64_t>(most));
    return traffic;
}

TEST(Exchange, RandomPatternsAndShapes) {
    const int size = Communicator::world().size();
    std::mt19937_64 engine(21);
    for (int repeat = 0; repeat < 150; ++repeat) {
        const Shape shape{1 + engine() % 100, static_cast<Index>(1 + engine() % 20),
                          static_cast<int>(1 + engine() % 4)};
        check_exchange(random_traffic(engine, size, 200), shape);
    }
}

TEST(Exchange, LargeItemsThroughTheSmallestRing) {
    const int size = Communicator::world().size();
    std::mt19937_64 engine(22);
    for (int repeat = 0; repeat < 20; ++repeat)
        check_exchange(random_traffic(engine, size, 12), {50'000, 1 + repeat % 3, 1});
}

TEST(Exchange, MoreThanTheRingHolds) {
    const int size = Communicator::world().size();
    Traffic traffic = no_traffic(size);
    for (std::size_t from = 0; from < traffic.size(); ++from)
        for (std::size_t to = 0; to < traffic.size(); ++to)
            traffic[from][to] = from == to ? 0 : 20'000;
    check_exchange(traffic, {});
    check_exchange(traffic, {24, 16, 2});
}

TEST(Exchange, OneSidedTraffic) {
    const int size = Communicator::world().size();
    for (int root = 0; root < size; ++root) {
        Traffic scatter = no_traffic(size);
        Traffic gather = no_traffic(size);
        for (int peer = 0; peer < size; ++peer) {
            scatter[static_cast<std::size_t>(root)][static_cast<std::size_t>(peer)] = peer == root ? 0 : 300 + peer;
            gather[static_cast<std::size_t>(peer)][static_cast<std::size_t>(root)] = peer == root ? 0 : 300 + peer;
        }
        check_exchange(scatter, {9000, 7, 2});
        check_exchange(gather, {9000, 7, 2});
    }
}

TEST(Exchange, NothingAndEmptyItems) {
    const int size = Communicator::world().size();
    check_exchange(no_traffic(size), {});
    std::mt19937_64 engine(23);
    check_exchange(random_traffic(engine, size, 50), {0, 4, 2});
}

// Both sides may cut a peer's items into transfers as they like.
TEST(Exchange, RepeatedPeersAreOneSequence) {
    const Communicator ranks = Communicator::world();
    const int size = ranks.size();
    if (size == 1)
        return;
    const int next = (ranks.rank() + 1) % size;
    const int previous = (ranks.rank() + size - 1) % size;
    const std::vector<Transfer> outgoing{{next, 3}, {next, 0}, {next, 4}};
    const std::vector<Transfer> incoming{{previous, 6}, {previous, 1}};
    std::vector<Index> received;
    exchange(
        ranks, sizeof(Index), outgoing, incoming,
        [](int, Index item, std::span<std::byte> out) { std::memcpy(out.data(), &item, sizeof(item)); },
        [&](int, Index, std::span<const std::byte> in) {
            std::memcpy(&received.emplace_back(), in.data(), sizeof(Index));
        },
        2, 1);
    EXPECT_EQ(received, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Exchange, AFailureStaysLocalAndTheTrafficEnds) {
    const Communicator ranks = Communicator::world();
    const int size = ranks.size();
    if (size == 1)
        return;
    const int next = (ranks.rank() + 1) % size;
    const int previous = (ranks.rank() + size - 1) % size;
    const Transfer outgoing{next, 1000};
    const Transfer incoming{previous, 1000};
    Index received = 0;
    const auto run = [&](int failing_packer, int failing_unpacker) {
        received = 0;
        exchange(
            ranks, 800, std::span(&outgoing, 1), std::span(&incoming, 1),
            [&](int, Index item, std::span<std::byte>) {
                if (ranks.rank() == failing_packer && item == 500)
                    throw NumericalError("cannot pack");
            },
            [&](int, Index item, std::span<const std::byte>) {
                if (ranks.rank() == failing_unpacker && item == 500)
                    throw FileError("cannot unpack");
                ++received;
            },
            10, 2);
    };
    for (int failing = 0; failing < size; ++failing) {
        if (ranks.rank() == failing) {
            EXPECT_THROW(run(failing, -1), NumericalError);
            EXPECT_THROW(run(-1, failing), FileError);
        } else {
            EXPECT_NO_THROW(run(failing, -1));
            EXPECT_NO_THROW(run(-1, failing));
            EXPECT_EQ(received, 1000);
        }
    }
    check_exchange(no_traffic(size), {});
}

TEST(Exchange, RefusesItselfAndNonsense) {
    const Communicator ranks = Communicator::world();
    const auto pack = [](int, Index, std::span<std::byte>) {};
    const auto unpack = [](int, Index, std::span<const std::byte>) {};
    for (const Transfer bad : {Transfer{ranks.rank(), 1}, Transfer{ranks.size(), 1}, Transfer{-1, 1}}) {
        EXPECT_THROW(exchange(ranks, 8, std::span(&bad, 1), {}, pack, unpack), ContractViolation);
        EXPECT_THROW(exchange(ranks, 8, {}, std::span(&bad, 1), pack, unpack), ContractViolation);
    }
    EXPECT_THROW(exchange(ranks, 8, {}, {}, pack, unpack, 0, 1), ContractViolation);
    EXPECT_THROW(exchange(ranks, 8, {}, {}, pack, unpack, 1, 0), ContractViolation);
}

} // namespace
