// With fixed theta every operation leaves the distribution of the chains invariant, on any number of ranks.
#include "algorithm/search_invariance.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using random::testing::rejection_level;

/// In every pair of neighbours each chain meets the state that the other had before: both at once, which is wrong, or
/// only one of them, drawn at random, while the other stays.
struct MeetsNeighbour : FromTarget<WellsCase> {
    enum class Who { both, one };
    Communicator ranks;
    Who who;
    std::vector<model::Operation> mutations;

    MeetsNeighbour(const Communicator& all, const std::string& crossover, Who moves)
        : FromTarget<WellsCase>(wells({crossover, "metropolis"})), ranks(all), who(moves) {
        for (auto operation : FromTarget<WellsCase>::operations()) {
            operation.kind = model::Operation::Kind::mutation; // the engine takes no part in who meets whom
            mutations.push_back(operation);
        }
    }
    std::span<const model::Operation> operations() const { return mutations; }

    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const {
        const std::size_t bytes = chains.packed_bytes();
        std::vector<std::byte> packed(static_cast<std::size_t>(chains.size()) * bytes);
        for (Index i = 0; i < chains.size(); ++i)
            chains.pack(i, std::span(packed).subspan(static_cast<std::size_t>(i) * bytes, bytes));
        const auto population = ranks.all_gather(std::span<const std::byte>(packed));
        std::vector<Chains> partners{make_chains(chains.size())};
        for (Index i = 0; i < chains.size(); ++i) {
            const auto neighbour = static_cast<std::size_t>((streams.first_slot + i) ^ 1);
            partners[0].unpack(i, std::span(population).subspan(neighbour * bytes, bytes));
        }
        const std::vector<std::uint8_t> active(energies.size(), 1);
        const std::vector<std::int64_t> meeting(energies.size(), -1);
        cross(chains, partners, op, {active, meeting}, scale, energies, streams, proposals);
        for (Index i = 0; who == Who::one && i < chains.size(); ++i) {
            const Index chain = streams.first_slot + i, pair = chain / 2;
            random::Stream coin({streams.seed, random::Purpose::test, static_cast<std::uint64_t>(pair), streams.step});
            if (static_cast<Index>(coin.index(2)) != chain % 2)
                proposals.energies[static_cast<std::size_t>(i)] = std::numeric_limits<double>::infinity();
        }
    }
};

// Below, p-values are compared with 1e-6: a false alarm in 4e-5 of all choices of seeds.

TEST(SearchInvariance, AllAtOnceWithPartnersFromTheOldPopulationIsRejected) {
    const auto world = Communicator::world();
    const WellsCase chosen;
    auto settings = frozen(chosen.target, 12000, 20, 0);
    settings.rates = {1, 0};
    using Who = MeetsNeighbour::Who;
    EXPECT_LT(moved(world, chosen, MeetsNeighbour(world, "linear", Who::both), settings, 1).smallest(), 1e-20);
    EXPECT_GT(moved(world, chosen, MeetsNeighbour(world, "linear", Who::one), settings, 1).smallest(), rejection_level);
}

/// Large populations, so that the comparison depends on the chains and not on the collectives.
template <class Case, class Space>
void expect_invariance(const Space& space, SearchSettings settings, const std::string& name) {
    const auto p = moved(Communicator::world(), Case{}, space, std::move(settings), 2);
    EXPECT_GT(p.states, rejection_level) << name;
    EXPECT_GT(p.pairs, rejection_level) << name;
}

TEST(SearchInvariance, EveryOperationOfABox) {
    const WellsCase chosen;
    for (const std::string name :
         {"metropolis", "hit-and-run", "k-point", "k-point-crossover", "snooker", "linear", "differential"}) {
        const bool mutates = name == "metropolis" || name == "hit-and-run" || name == "k-point";
        auto settings = frozen(chosen.target, 5001, 8, 0);
        settings.rates = mutates ? std::vector<double>{1} : std::vector<double>{1, 0};
        const bool has_scale = name != "k-point-crossover" && name != "linear";
        for (const bool by_region : has_scale ? std::vector<bool>{false, true} : std::vector<bool>{false}) {
            settings.scale_by_region = by_region;
            expect_invariance<WellsCase>(
                wells(mutates ? std::vector{name} : std::vector<std::string>{name, "metropolis"}), settings, name);
        }
    }
}

TEST(SearchInvariance, EveryOperationOfRows) {
    const RowCase chosen;
    for (const std::string name : {"single-site", "k-site", "two-point-crossover", "uniform-crossover"}) {
        const bool mutates = name == "single-site" || name == "k-site";
        auto settings = frozen(chosen.target, 5001, 8, 0);
        settings.rates = mutates ? std::vector<double>{1} : std::vector<double>{1, 0};
        expect_invariance<RowCase>(rows(mutates ? std::vector{name} : std::vector<std::string>{name, "single-site"}),
                                   settings, name);
    }
}

TEST(SearchInvariance, AllOperationsTogether) {
    for (const Index sync_every : {1, 3}) {
        auto settings = frozen(WellsCase{}.target, 5001, 25, 7);
        settings.sync_every = sync_every;
        expect_invariance<WellsCase>(wells(kernel::BoxOperations::names()), settings, "box");
        settings = frozen(RowCase{}.target, 5001, 25, 7);
        settings.sync_every = sync_every;
        expect_invariance<RowCase>(rows(kernel::CategoricalOperations::names()), settings, "rows");
    }
}

/// Small populations, in which the choice of a pair depends much on its two members.
TEST(SearchInvariance, OneMeetingAtATime) {
    const auto world = Communicator::world();
    auto settings = frozen(WellsCase{}.target, 5, 12, 0);
    settings.crossover = SearchSettings::Crossover::single;
    const auto p =
        moved(world, WellsCase{}, wells({"k-point-crossover", "snooker", "linear", "metropolis"}), settings, 200);
    EXPECT_GT(p.smallest(), rejection_level);
}

/// The counts reject wrong distributions.
TEST(SearchInvariance, AnotherThetaOrTemperatureIsRejected) {
    const auto world = Communicator::world();
    const WellsCase chosen;
    for (const std::string name : {"k-point", "differential"}) {
        const auto space = wells({name, "metropolis"});
        auto settings = frozen(chosen.target, 5001, 8, 0);
        settings.fixed_theta[2] += 0.6;
        EXPECT_LT(moved(world, chosen, space, settings, 2).states, rejection_level) << name;
        settings = frozen(chosen.target, 5001, 8, 0);
        settings.temperature.low *= 1.3;
        EXPECT_LT(moved(world, chosen, space, settings, 2).states, rejection_level) << name;
    }
}

} // namespace
} // namespace pearlite::algorithm
