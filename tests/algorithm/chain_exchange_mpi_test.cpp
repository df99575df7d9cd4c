// Ranks exchange states and children of their chains. Shared memory and messages give the same bits.
#include "algorithm/search/chains/chain_exchange.hpp"
#include "algorithm/search_invariance.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <tuple>
#include <vector>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Memory = ChainExchange::Memory;
constexpr Memory memories[] = {Memory::shared_on_one_machine, Memory::own};

std::vector<std::byte> packed(const Block& chains, Index i) {
    std::vector<std::byte> bytes(chains.packed_bytes());
    chains.pack(i, bytes);
    return bytes;
}

/// A random partner of each chain, or -1 for none. All ranks get the same partners.
std::vector<std::int64_t> some_partners(Index chains, random::Stream& stream) {
    std::vector<std::int64_t> partners;
    for (Index i = 0; i < chains; ++i)
        partners.push_back(
            stream.uniform() < 0.3 ? -1 : static_cast<std::int64_t>(stream.index(static_cast<std::uint64_t>(chains))));
    return partners;
}

class ChainExchanges : public ::testing::TestWithParam<Memory> {};
INSTANTIATE_TEST_SUITE_P(Ways, ChainExchanges, ::testing::ValuesIn(memories));

TEST_P(ChainExchanges, FetchTheStatesOfPartners) {
    const auto ranks = Communicator::world();
    const auto space = model::space_of(wells(kernel::BoxOperations::names()));
    for (const Index n : {1, 3, 14, 64}) {
        const parallel::BlockLayout layout(n, 1, ranks.size(), ranks.rank());
        const Index first = layout.first_local_item(), local = layout.local_items();
        const auto all = space->make_chains(n), chains = space->make_chains(local);
        space->draw_start(*all, {7, 0, 0, 0, 0});
        for (Index i = 0; i < local; ++i)
            chains->unpack(i, packed(*all, first + i));
        ChainExchange exchange(ranks, layout, chains->packed_bytes(), GetParam());
        random::Stream stream({11, random::Purpose::partner, 0, static_cast<std::uint32_t>(n)});
        for (int round = 0; round < 20; ++round) {
            const auto one = some_partners(n, stream), other = some_partners(n, stream);
            const auto before = space->make_chains(n), a = space->make_chains(local), b = space->make_chains(local);
            space->draw_start(*before, {8, 0, 0, 0, 0});
            for (Index i = 0; i < local; ++i)
                for (auto* const result : {a.get(), b.get()})
                    result->unpack(i, packed(*before, first + i));
            exchange.fetch(*space, *chains, std::array{PartnerFetch{one, *a}, PartnerFetch{other, *b}});
            for (Index i = 0; i < local; ++i)
                for (const auto& [partners, result] : {std::pair(&one, a.get()), {&other, b.get()}}) {
                    const auto partner = (*partners)[at(first + i)];
                    EXPECT_EQ(packed(*result, i), partner < 0 ? packed(*before, first + i) : packed(*all, partner))
                        << "chain " << first + i << " of " << n << ", round " << round;
                }
        }
    }
}

TEST_P(ChainExchanges, GatherTheChildrenOfAllRanks) {
    const auto ranks = Communicator::world();
    const auto child = [](Index chain, int round) {
        const auto x = static_cast<double>(chain);
        return Child{0.5 * x + round, -x, 3 * chain + round};
    };
    for (const Index n : {1, 3, 14, 64}) {
        const parallel::BlockLayout layout(n, 1, ranks.size(), ranks.rank());
        ChainExchange exchange(ranks, layout, 16, GetParam());
        for (int round = 0; round < 20; ++round) {
            model::Proposals proposals;
            std::vector<Index> regions;
            for (Index i = 0; i < layout.local_items(); ++i) {
                const auto its = child(layout.first_local_item() + i, round);
                proposals.energies.push_back(its.energy);
                proposals.log_ratios.push_back(its.log_ratio);
                regions.push_back(its.region);
            }
            const auto children = exchange.gather_children(proposals, regions);
            ASSERT_EQ(std::ssize(children), n);
            for (Index i = 0; i < n; ++i) {
                const auto its = children[at(i)], expected = child(i, round);
                EXPECT_EQ(std::tie(its.energy, its.log_ratio, its.region),
                          std::tie(expected.energy, expected.log_ratio, expected.region));
            }
        }
    }
}

} // namespace
} // namespace pearlite::algorithm
