/// The operations leave the target invariant: exactly, by sums over all (network, order) pairs of four nodes, and with
/// random numbers, by a long chain.

#include "models/network_oracle.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace pearlite::models {
namespace {

using namespace testing;
using random::testing::chi_squared_p_value;
using random::testing::rejection_level;

constexpr double tau = 3;

NetworkSettings with_limit(Index limit) {
    NetworkSettings settings;
    settings.parent_limit = limit;
    return settings;
}

/// The packed pair of network and order; the order is the first bytes.
std::string key_of(const BayesianNetwork& model, const Dag& dag) {
    std::string key(model.packed_bytes(), 0);
    model.pack(dag, std::as_writable_bytes(std::span(key)));
    return key;
}
Dag dag_of(const BayesianNetwork& model, const std::string& key) {
    return model.unpack(std::as_bytes(std::span(key)));
}

/// All pairs of a network and an order of its nodes, with exp(-U / tau), normalised.
struct Pairs {
    std::vector<Dag> states;
    std::map<std::string, std::size_t> numbers;
    std::vector<double> probabilities;

    explicit Pairs(const BayesianNetwork& model) {
        const auto n = static_cast<std::size_t>(model.nodes());
        for (const auto& parents : all_networks(model.nodes(), model.scores().parent_limit())) {
            std::string key = key_of(model, model.network(parents)), order = key.substr(0, n);
            std::sort(order.begin(), order.end());
            do {
                NodeSet before = 0;
                bool fits = true;
                for (const char node : order) {
                    fits = fits && (parents[static_cast<std::size_t>(node)] & ~before) == 0;
                    before |= NodeSet{1} << node;
                }
                if (fits) {
                    key.replace(0, n, order);
                    numbers.emplace(key, states.size());
                    states.push_back(dag_of(model, key));
                }
            } while (std::next_permutation(order.begin(), order.end()));
        }
        double total = 0;
        for (const Dag& dag : states)
            probabilities.push_back(std::exp((states[0].energy() - dag.energy()) / tau));
        for (const double p : probabilities)
            total += p;
        for (double& p : probabilities)
            p /= total;
    }
};

enum class Rule { stated, redrawn_without_ratio };

/// The largest relative change of a probability by one Metropolis step with all choices of the operation, each as
/// likely as it is: exactly 0 for an invariant distribution. The wrong twin draws again until a proposal keeps to the
/// parent limit, and leaves out the ratio that this would need.
double largest_change(const BayesianNetwork& model, const Pairs& pairs, NetworkOperation operation, Rule rule) {
    std::vector<double> after(pairs.states.size());
    for (std::size_t i = 0; i < pairs.states.size(); ++i) {
        const Dag& from = pairs.states[i];
        std::vector<NetworkProposal> proposals;
        for (std::uint64_t choice = 0; choice < model.choices(operation); ++choice)
            proposals.push_back(model.proposal(from, operation, choice));
        if (rule == Rule::redrawn_without_ratio)
            std::erase_if(proposals, [](const auto& proposal) { return std::isinf(proposal.energy); });
        double stays = pairs.probabilities[i];
        for (const auto& proposal : proposals) {
            const double log_ratio = (from.energy() - proposal.energy) / tau + proposal.log_ratio;
            const double flow =
                pairs.probabilities[i] / static_cast<double>(proposals.size()) * std::exp(std::min(0.0, log_ratio));
            if (flow == 0)
                continue;
            Dag to = from;
            model.apply(proposal, to);
            after[pairs.numbers.at(key_of(model, to))] += flow;
            stays -= flow;
        }
        after[i] += stays;
    }
    double largest = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
        largest = std::max(largest, std::abs(after[i] / pairs.probabilities[i] - 1));
    return largest;
}

TEST(NetworkOperations, LeavePairsOfNetworkAndOrderInvariant) {
    for (const Index limit : {1, 2, 3}) {
        const BayesianNetwork model(dependent_table(30, {2, 3, 2, 2}, 9), with_limit(limit));
        const Pairs pairs(model);
        if (limit == 3) {
            EXPECT_EQ(pairs.states.size(), 24u * 64); // an order allows all sets of its six edges
        }
        for (const auto operation : BayesianNetwork::operations) {
            EXPECT_LT(largest_change(model, pairs, operation, Rule::stated), 1e-11);
            if (limit < 3) {
                EXPECT_GT(largest_change(model, pairs, operation, Rule::redrawn_without_ratio), 0.01);
            }
        }
    }
}

/// The state that a proposal leads to has the energy that the proposal says, and the same choice leads back from it.
TEST(NetworkOperations, AreInvolutions) {
    const DiscreteTable table = dependent_table(30, {2, 3, 2, 2, 2, 4, 2}, 10);
    const BayesianNetwork model(table, with_limit(3));
    PlainEnergy plain(table, model.settings());
    random::Stream stream({2, random::Purpose::test, 0, 0});
    for (int trial = 0; trial < 50; ++trial) {
        const Dag from = model.draw_network(stream);
        for (const auto operation : BayesianNetwork::operations)
            for (std::uint64_t choice = 0; choice < model.choices(operation); ++choice) {
                const auto proposal = model.proposal(from, operation, choice);
                EXPECT_EQ(proposal.log_ratio, 0);
                if (std::isinf(proposal.energy))
                    continue;
                Dag to = from;
                model.apply(proposal, to);
                ASSERT_NEAR(to.energy(), plain({to.parents().begin(), to.parents().end()}), 1e-9);
                ASSERT_EQ(dag_of(model, key_of(model, to)), to); // acyclic, within the limit, the energy exact
                ASSERT_NE(to, from);
                model.apply(model.proposal(to, operation, choice), to);
                ASSERT_EQ(to, from);
            }
    }
}

TEST(NetworkOperations, ReachAllPairs) {
    const BayesianNetwork model(dependent_table(30, {2, 2, 2, 2}, 11), with_limit(2));
    const Pairs pairs(model);
    std::map<std::string, Dag> reached;
    std::vector<Dag> waiting{model.empty_network()};
    reached.emplace(key_of(model, waiting[0]), waiting[0]);
    while (!waiting.empty()) {
        const Dag from = waiting.back();
        waiting.pop_back();
        for (const auto operation : {NetworkOperation::temporal_order, NetworkOperation::skeletal_change})
            for (std::uint64_t choice = 0; choice < model.choices(operation); ++choice) {
                const auto proposal = model.proposal(from, operation, choice);
                if (std::isinf(proposal.energy))
                    continue;
                Dag to = from;
                model.apply(proposal, to);
                if (reached.emplace(key_of(model, to), to).second)
                    waiting.push_back(to);
            }
    }
    EXPECT_EQ(reached.size(), pairs.states.size());
}

/// p-value of Pearson's test of networks visited by a chain of all three operations, every 60th of 2.4 million steps,
/// against exp(-U / tau) over networks, with the number of orders of each as a factor or without.
double p_value_of_long_chain(bool with_orders) {
    NetworkSettings settings = with_limit(3);
    settings.edge_prior = 0.4; // no network is expected fewer than 8 times
    const BayesianNetwork model(dependent_table(8, {2, 2, 2, 2}, 12), settings);
    const Pairs pairs(model);
    std::map<std::vector<NodeSet>, std::size_t> numbers;
    std::vector<double> probabilities, counts(543);
    for (std::size_t i = 0; i < pairs.states.size(); ++i) {
        const auto parents = pairs.states[i].parents();
        const auto [place, is_new] = numbers.try_emplace({parents.begin(), parents.end()}, numbers.size());
        if (is_new)
            probabilities.push_back(0);
        if (is_new || with_orders)
            probabilities[place->second] += pairs.probabilities[i];
    }
    double total = 0;
    for (const double p : probabilities)
        total += p;
    for (double& p : probabilities)
        p /= total;

    random::Stream stream({3, random::Purpose::test, 0, 0});
    Dag dag = model.draw_network(stream);
    for (int step = 0; step < 2400000; ++step) {
        const auto proposal = model.propose(dag, BayesianNetwork::operations[stream.index(3)], stream);
        if (std::log(stream.uniform()) < (dag.energy() - proposal.energy) / tau + proposal.log_ratio)
            model.apply(proposal, dag);
        if (step % 60 == 59)
            ++counts[numbers.at({dag.parents().begin(), dag.parents().end()})];
    }
    return chi_squared_p_value(counts, probabilities);
}

/// On this seed; a right chain would have failed on one seed in a million.
TEST(NetworkOperations, ALongChainVisitsPairsAsItShould) {
    EXPECT_GT(p_value_of_long_chain(true), rejection_level);
    EXPECT_LT(p_value_of_long_chain(false), rejection_level); // not exp(-U / tau) over networks alone
}

TEST(NetworkOperations, StartsAreNetworksOfEveryOrder) {
    const BayesianNetwork model(dependent_table(8, {2, 2, 2, 2}, 13), with_limit(2));
    std::map<std::string, std::size_t> numbers;
    std::vector<double> counts(24), edges(6);
    random::Stream stream({4, random::Purpose::test, 0, 0});
    for (int draw = 0; draw < 24000; ++draw) {
        const Dag dag = model.draw_network(stream);
        ASSERT_EQ(dag_of(model, key_of(model, dag)), dag);
        ++counts[numbers.try_emplace(key_of(model, dag).substr(0, 4), numbers.size()).first->second];
        ++edges[dag.edges().size()];
    }
    EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(24, 1.0 / 24)), rejection_level);
    // Uniform on 0..1, 0..2 and 0..2: 1, 3, 5, 5, 3, 1 of 18 for the sum.
    const std::vector<double> sums{1 / 18.0, 3 / 18.0, 5 / 18.0, 5 / 18.0, 3 / 18.0, 1 / 18.0};
    EXPECT_GT(chi_squared_p_value(edges, sums), rejection_level);
}

} // namespace
} // namespace pearlite::models
