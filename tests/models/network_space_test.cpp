#include "models/network/network_space.hpp"

#include "models/network_oracle.hpp"
#include "models/space_checks.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace pearlite::models {
namespace {

using namespace testing;
using ::testing::HasSubstr;

BayesianNetwork tiny_model() {
    NetworkSettings settings;
    settings.parent_limit = 2;
    settings.edge_prior = 0.4; // no state is rare
    return BayesianNetwork(dependent_table(8, {2, 2, 2, 2}, 12), settings);
}

constexpr Index tiny_chains = 100000;

/// Four nodes with at most two parents: 1344 pairs of a network and an order, all of which are known.
struct Tiny {
    NetworkSpace space{tiny_model()};
    FlatTarget target{3, 21, 25};
    States states = all();

    States all() const {
        const BayesianNetwork& model = space.model();
        std::vector<std::string> packed;
        std::vector<double> energies;
        for (const auto& parents : all_networks(4, 2)) {
            std::string bytes(model.packed_bytes(), 0);
            model.pack(model.network(parents), std::as_writable_bytes(std::span(bytes)));
            std::string order{0, 1, 2, 3};
            do {
                NodeSet before = 0;
                bool fits = true;
                for (const char node : order) {
                    fits = fits && (parents[static_cast<std::size_t>(node)] & ~before) == 0;
                    before |= NodeSet{1} << node;
                }
                if (!fits)
                    continue;
                packed.push_back(bytes.replace(0, 4, order));
                energies.push_back(model.unpack(std::as_bytes(std::span(bytes))).energy());
            } while (std::next_permutation(order.begin(), order.end()));
        }
        return {packed, energies, target};
    }
    double p_value(Index op, Twin twin = Twin::none) const {
        return p_value_after(space, op, target, states, tiny_chains, 6, twin);
    }
};

/// Each right comparison fails on one seed in a million.
TEST(NetworkSpace, EveryOperationLeavesTheTargetInvariant) {
    const Tiny tiny;
    ASSERT_EQ(tiny.states.packed.size(), 24u * 56);
    ASSERT_TRUE(tiny.states.are_common(tiny_chains));
    for (Index op = 0; op < 3; ++op)
        EXPECT_GT(tiny.p_value(op), rejection_level) << NetworkSpace::names()[static_cast<std::size_t>(op)];
}

TEST(NetworkSpace, WrongRulesAreFoundOut) {
    const Tiny tiny;
    for (Index op = 0; op < 3; ++op)
        for (const Twin twin : {Twin::no_theta, Twin::doubled_changes})
            EXPECT_LT(tiny.p_value(op, twin), rejection_level) << NetworkSpace::names()[static_cast<std::size_t>(op)];
}

TEST(NetworkSpace, AChainDoesNotDependOnItsNeighbours) {
    const NetworkSpace space(BayesianNetwork(dependent_table(60, std::vector<Index>(12, 2), 2), {}));
    const FlatTarget target(10, 400, 600);
    for (Index op = 0; op < 3; ++op)
        expect_chains_independent(space, op, target, 100);
}

/// All choices come up, and with each number of chains the same ones: proposals are those of the model.
TEST(NetworkSpace, ProposesEveryChoice) {
    const NetworkSpace space(tiny_model(), {.operations = {"double-skeletal-change", "temporal-order"}});
    EXPECT_EQ(space.operations()[0].name, "double-skeletal-change");
    EXPECT_TRUE(space.operations()[0].is_local);
    auto chains = space.make_chains(3000);
    const Dag start = chains.dag(0);
    const std::vector<double> energies(static_cast<std::size_t>(chains.padded_size()), start.energy());
    model::Proposals proposals;
    space.mutate(chains, 0, {}, energies, {.seed = 8}, proposals);
    std::map<double, double> counts, expected;
    for (Index i = 0; i < chains.size(); ++i)
        ++counts[proposals.energies[static_cast<std::size_t>(i)]];
    const auto operation = NetworkOperation::double_skeletal_change;
    for (std::uint64_t k = 0; k < space.model().choices(operation); ++k)
        expected[space.model().proposal(start, operation, k).energy] += 1.0 / 30;
    std::vector<double> seen, probabilities;
    for (const auto& [energy, probability] : expected) {
        seen.push_back(counts[energy]);
        probabilities.push_back(probability);
    }
    EXPECT_EQ(counts.size(), expected.size());
    EXPECT_GT(chi_squared_p_value(seen, probabilities), rejection_level);
}

TEST(NetworkSpace, KnowsItsMinimumIfAskedAndSmall) {
    EXPECT_EQ(NetworkSpace(tiny_model()).known_minimum(), std::nullopt);
    const NetworkSpace space(tiny_model(), {.exact = true});
    const Tiny tiny;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& bytes : tiny.states.packed)
        least = std::min(least, space.model().unpack(std::as_bytes(std::span(bytes))).energy());
    EXPECT_EQ(space.known_minimum(), least);
    EXPECT_EQ(space.known_minimum(), least);
    NetworkSettings settings;
    settings.parent_limit = 1;
    const NetworkSpace large(BayesianNetwork(dependent_table(5, std::vector<Index>(26, 2), 1), settings),
                             {.exact = true});
    EXPECT_EQ(large.known_minimum(), std::nullopt);
}

TEST(NetworkSpace, RefusesWhatDoesNotFit) {
    EXPECT_THROW(NetworkSpace(tiny_model(), {.operations = {"order"}}), InputError);
    EXPECT_THROW(NetworkSpace(tiny_model(), {.operations = {"skeletal-change", "skeletal-change"}}), InputError);
    EXPECT_THROW(NetworkSpace(tiny_model(), {.operations = {}}), InputError);
    const NetworkSpace space(tiny_model());
    auto chains = space.make_chains(2);
    const std::vector<double> energies(16);
    model::Proposals proposals;
    EXPECT_THROW(space.mutate(chains, 3, {}, energies, {}, proposals), ContractViolation);
    EXPECT_THROW(space.cross(chains, std::span(&chains, 1), 0, {}, {}, energies, {}, proposals), ContractViolation);
    EXPECT_THROW(static_cast<void>(chains.dag(2)), ContractViolation);
}

/// The weights of a network's orders sum to 1; where no node has two parents they are equal.
TEST(NetworkSpace, WeighsTheOrdersOfANetwork) {
    const NetworkSpace space(tiny_model());
    std::map<std::vector<Index>, std::vector<double>> weights;
    auto chains = space.make_chains(1);
    std::vector<Index> edges;
    for (const auto& packed : Tiny().states.packed) {
        chains.unpack(0, std::as_bytes(std::span(packed)));
        const double log_weight = chains.list_edges(0, edges);
        std::vector<Index> expected;
        for (const auto& [parent, child] : chains.dag(0).edges())
            expected.push_back(parent * 4 + child);
        EXPECT_THAT(edges, ::testing::UnorderedElementsAreArray(expected));
        weights[edges].push_back(std::exp(log_weight));
    }
    EXPECT_EQ(weights.size(), all_networks(4, 2).size());
    for (const auto& [network, of_orders] : weights) {
        EXPECT_NEAR(std::accumulate(of_orders.begin(), of_orders.end(), 0.0), 1, 1e-12);
        std::vector<Index> parents(4, 0);
        for (const Index edge : network)
            ++parents[static_cast<std::size_t>(edge % 4)];
        const bool is_forest = std::ranges::max(parents) <= 1;
        const auto [least, most] = std::ranges::minmax(of_orders);
        if (is_forest) {
            EXPECT_NEAR(least, most, 1e-14);
        }
    }
}

} // namespace
} // namespace pearlite::models
