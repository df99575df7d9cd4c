#pragma once
/// Bayesian networks in plain code, and small tables for tests.

#include "models/network/bayesian_network.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

namespace pearlite::models::testing {

/// Rows of dependent columns: each is, half the time, a function of the column before it, else noise.
inline DiscreteTable dependent_table(Index rows, const std::vector<Index>& levels, std::uint64_t seed) {
    Matrix values(rows, static_cast<Index>(levels.size()));
    random::Stream stream({seed, random::Purpose::test, 0, 0});
    for (Index row = 0; row < rows; ++row)
        for (Index i = 0; i < values.cols(); ++i) {
            const Index r = levels[static_cast<std::size_t>(i)];
            const bool follows = i > 0 && stream.bernoulli(0.5);
            values(row, i) = follows ? static_cast<double>(static_cast<Index>(values(row, i - 1)) % r)
                                     : static_cast<double>(stream.index(static_cast<std::uint64_t>(r)));
        }
    return discrete_table(values, {}, levels);
}

/// The score of a family by counting rows one by one.
inline double plain_score(const DiscreteTable& table, const NetworkSettings& settings, Index node, NodeSet parents) {
    const double r = static_cast<double>(table.levels[static_cast<std::size_t>(node)]);
    double q = 1, edges = 0;
    for (Index j = 0; j < table.variables(); ++j)
        if ((parents >> j & 1) != 0) {
            q *= static_cast<double>(table.levels[static_cast<std::size_t>(j)]);
            ++edges;
        }
    std::map<std::vector<Index>, std::map<Index, Index>> counts;
    for (Index row = 0; row < table.rows(); ++row) {
        std::vector<Index> state;
        for (Index j = 0; j < table.variables(); ++j)
            if ((parents >> j & 1) != 0)
                state.push_back(table.values(row, j));
        ++counts[state][table.values(row, node)];
    }
    const double a = settings.equivalent_sample_size / (r * q), total_a = settings.equivalent_sample_size / q;
    double log_probability = edges * std::log(settings.edge_prior / (1 - settings.edge_prior));
    for (const auto& [state, levels] : counts) {
        double n = 0;
        for (const auto& [level, count] : levels) {
            log_probability += std::lgamma(a + static_cast<double>(count)) - std::lgamma(a);
            n += static_cast<double>(count);
        }
        log_probability += std::lgamma(total_a) - std::lgamma(total_a + n);
    }
    return -log_probability;
}

/// Whether nodes can be taken away, each after all its parents, until none is left.
inline bool is_acyclic(const std::vector<NodeSet>& parents) {
    NodeSet done = 0;
    for (std::size_t round = 0; round < parents.size(); ++round)
        for (std::size_t i = 0; i < parents.size(); ++i)
            if ((parents[i] & ~done) == 0)
                done |= NodeSet{1} << i;
    return std::popcount(done) == static_cast<int>(parents.size());
}

/// All networks of n nodes with at most `limit` parents each.
inline std::vector<std::vector<NodeSet>> all_networks(Index n, Index limit) {
    std::vector<std::vector<NodeSet>> networks;
    std::vector<NodeSet> parents;
    const std::function<void()> extend = [&] {
        const auto node = static_cast<Index>(parents.size());
        if (node == n) {
            if (is_acyclic(parents))
                networks.push_back(parents);
            return;
        }
        for (NodeSet set = 0; set < NodeSet{1} << n; ++set)
            if ((set >> node & 1) == 0 && std::popcount(set) <= limit) {
                parents.push_back(set);
                extend();
                parents.pop_back();
            }
    };
    extend();
    return networks;
}

/// The energy by plain scores, each computed once.
class PlainEnergy {
  public:
    PlainEnergy(const DiscreteTable& table, const NetworkSettings& settings) : table_(table), settings_(settings) {}
    double operator()(const std::vector<NodeSet>& parents) {
        double sum = 0;
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto [place, is_new] = known_.try_emplace({i, parents[i]});
            if (is_new)
                place->second = plain_score(table_, settings_, static_cast<Index>(i), parents[i]);
            sum += place->second;
        }
        return sum;
    }

  private:
    DiscreteTable table_;
    NetworkSettings settings_;
    std::map<std::pair<std::size_t, NodeSet>, double> known_;
};

} // namespace pearlite::models::testing
