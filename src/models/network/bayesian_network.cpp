#include "models/network/bayesian_network.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::models {
namespace {

constexpr NodeSet bit(Index node) {
    return NodeSet{1} << node;
}

} // namespace

std::vector<std::pair<Index, Index>> Dag::edges() const {
    std::vector<std::pair<Index, Index>> edges;
    for (Index child = 0; child < nodes(); ++child)
        for (NodeSet rest = parents(child); rest != 0; rest &= rest - 1)
            edges.emplace_back(std::countr_zero(rest), child);
    return edges;
}

BayesianNetwork::BayesianNetwork(DiscreteTable table, const NetworkSettings& settings)
    : table_(std::move(table)), settings_(settings), scores_(table_, settings) {
    for (Index second = 1; second < nodes(); ++second)
        for (Index first = 0; first < second; ++first)
            pairs_.emplace_back(first, second);
}

void BayesianNetwork::score_all(Dag& dag) const {
    dag.scores_.resize(at(nodes()));
    for (Index node = 0; node < nodes(); ++node)
        dag.scores_[at(node)] = scores_.score(node, dag.parents(node));
    dag.energy_ = std::accumulate(dag.scores_.begin(), dag.scores_.end(), 0.0);
}

/// Whether the order is one, and the network's, and no node has too many parents.
bool BayesianNetwork::is_network(const Dag& dag) const {
    NodeSet before = 0;
    for (const std::uint8_t node : dag.order_) {
        if (node >= nodes() || (before & bit(node)) != 0 || (dag.parents(node) & ~before) != 0 ||
            std::popcount(dag.parents(node)) > scores_.parent_limit())
            return false;
        before |= bit(node);
    }
    return true;
}

Dag BayesianNetwork::empty_network() const {
    return network(std::vector<NodeSet>(at(nodes()), 0));
}

Dag BayesianNetwork::network(std::span<const NodeSet> parents) const {
    PEARLITE_EXPECTS(parents.size() == at(nodes()));
    Dag dag;
    dag.parents_.assign(parents.begin(), parents.end());
    for (NodeSet before = 0; dag.order_.size() < parents.size();) {
        Index node = 0;
        while (node < nodes() && ((before & bit(node)) != 0 || (dag.parents(node) & ~before) != 0))
            ++node;
        if (node == nodes())
            throw InputError("Bayesian network: the graph has a cycle, expected none");
        dag.order_.push_back(static_cast<std::uint8_t>(node));
        before |= bit(node);
    }
    if (!is_network(dag))
        throw InputError("Bayesian network: a node has too many parents, expected at most " +
                         std::to_string(scores_.parent_limit()));
    score_all(dag);
    return dag;
}

Dag BayesianNetwork::draw_network(random::Stream& stream) const {
    Dag dag;
    dag.parents_.resize(at(nodes()));
    dag.order_.resize(at(nodes()));
    std::iota(dag.order_.begin(), dag.order_.end(), std::uint8_t{0});
    for (Index place = 0; place < nodes(); ++place) {
        const auto other = static_cast<std::size_t>(stream.index(static_cast<std::uint64_t>(nodes() - place)));
        std::swap(dag.order_[at(place)], dag.order_[at(place) + other]);
        NodeSet& parents = dag.parents_[dag.order_[at(place)]];
        const Index most = std::min(place, scores_.parent_limit());
        const auto count = static_cast<Index>(stream.index(static_cast<std::uint64_t>(most) + 1));
        while (std::popcount(parents) < count)
            parents |= bit(dag.order_[stream.index(static_cast<std::uint64_t>(place))]);
    }
    score_all(dag);
    return dag;
}

std::uint64_t BayesianNetwork::choices(NetworkOperation operation) const {
    const std::uint64_t pairs = pairs_.size();
    switch (operation) {
    case NetworkOperation::temporal_order:
        return static_cast<std::uint64_t>(nodes() - 1);
    case NetworkOperation::skeletal_change:
        return pairs;
    case NetworkOperation::double_skeletal_change:
        return pairs * (pairs - 1);
    }
    return 0;
}

void BayesianNetwork::add_change(NetworkProposal& proposal, const Dag& dag, Index node, NodeSet parents) const {
    if (std::popcount(parents) > scores_.parent_limit()) {
        proposal.energy = infinity;
        return;
    }
    const double score = scores_.score(node, parents);
    proposal.changes[at(proposal.n_changes++)] = {node, parents, score};
    proposal.energy += score - dag.scores_[at(node)];
}

NetworkProposal BayesianNetwork::swap_neighbours(const Dag& dag, Index place) const {
    NetworkProposal proposal{.energy = dag.energy_, .swapped = place};
    const Index first = dag.order_[at(place)], second = dag.order_[at(place) + 1];
    if ((dag.parents(second) & bit(first)) != 0) {
        add_change(proposal, dag, first, dag.parents(first) | bit(second));
        add_change(proposal, dag, second, dag.parents(second) & ~bit(first));
    }
    return proposal;
}

NetworkProposal BayesianNetwork::proposal(const Dag& dag, NetworkOperation operation, std::uint64_t choice) const {
    PEARLITE_EXPECTS(choice < choices(operation));
    if (operation == NetworkOperation::temporal_order)
        return swap_neighbours(dag, static_cast<Index>(choice));
    NetworkProposal proposal{.energy = dag.energy_};
    const auto child_and_parent = [&](std::uint64_t pair) {
        const auto [earlier, later] = pairs_[pair];
        return std::pair<Index, NodeSet>(dag.order_[later], bit(dag.order_[earlier]));
    };
    if (operation == NetworkOperation::skeletal_change) {
        const auto [child, parent] = child_and_parent(choice);
        add_change(proposal, dag, child, dag.parents(child) ^ parent);
        return proposal;
    }
    const std::uint64_t others = pairs_.size() - 1, a = choice / others, b = choice % others;
    const auto [child, parent] = child_and_parent(a);
    const auto [second_child, second_parent] = child_and_parent(b < a ? b : b + 1);
    if (child == second_child) {
        add_change(proposal, dag, child, dag.parents(child) ^ parent ^ second_parent);
    } else {
        add_change(proposal, dag, child, dag.parents(child) ^ parent);
        add_change(proposal, dag, second_child, dag.parents(second_child) ^ second_parent);
    }
    return proposal;
}

void BayesianNetwork::apply(const NetworkProposal& proposal, Dag& dag) const {
    PEARLITE_EXPECTS(std::isfinite(proposal.energy));
    for (Index k = 0; k < proposal.n_changes; ++k) {
        const auto& change = proposal.changes[at(k)];
        dag.parents_[at(change.node)] = change.parents;
        dag.scores_[at(change.node)] = change.score;
    }
    if (proposal.swapped >= 0)
        std::swap(dag.order_[at(proposal.swapped)], dag.order_[at(proposal.swapped) + 1]);
    dag.energy_ = proposal.energy;
}

void BayesianNetwork::pack(const Dag& dag, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(out.size() == packed_bytes());
    auto to =
        std::transform(dag.order_.begin(), dag.order_.end(), out.begin(), [](auto node) { return std::byte(node); });
    for (const NodeSet parents : dag.parents_)
        for (int shift = 0; shift < 64; shift += 8)
            *to++ = static_cast<std::byte>(parents >> shift & 0xff);
}

Dag BayesianNetwork::unpack(std::span<const std::byte> in) const {
    PEARLITE_EXPECTS(in.size() == packed_bytes());
    Dag dag;
    for (const std::byte node : in.first(at(nodes())))
        dag.order_.push_back(std::to_integer<std::uint8_t>(node));
    auto from = in.begin() + nodes();
    for (Index node = 0; node < nodes(); ++node) {
        NodeSet parents = 0;
        for (int shift = 0; shift < 64; shift += 8)
            parents |= std::to_integer<NodeSet>(*from++) << shift;
        dag.parents_.push_back(parents);
    }
    PEARLITE_EXPECTS(is_network(dag));
    score_all(dag);
    return dag;
}

double BayesianNetwork::log_order_probability(const Dag& dag) const {
    std::array<NodeSet, FamilyScores::most_variables> children{}, descendants{};
    for (auto node = dag.order_.rbegin(); node != dag.order_.rend(); ++node) {
        descendants[*node] |= NodeSet{1} << *node;
        for (NodeSet rest = dag.parents_[*node]; rest != 0; rest &= rest - 1) {
            const auto parent = static_cast<std::size_t>(std::countr_zero(rest));
            children[parent] |= NodeSet{1} << *node;
            descendants[parent] |= descendants[*node];
        }
    }
    const auto weight = [&](std::size_t node) { return std::popcount(descendants[node]); };
    int available = 0;
    for (std::size_t node = 0; node < dag.parents_.size(); ++node)
        available += dag.parents_[node] == 0 ? weight(node) : 0;
    double probability = 1; // at least 2080^-64
    NodeSet before = 0;
    for (const std::size_t node : dag.order_) {
        probability *= static_cast<double>(weight(node)) / available;
        available -= weight(node);
        before |= NodeSet{1} << node;
        for (NodeSet rest = children[node]; rest != 0; rest &= rest - 1) {
            const auto child = static_cast<std::size_t>(std::countr_zero(rest));
            available += (dag.parents_[child] & ~before) == 0 ? weight(child) : 0;
        }
    }
    return std::log(probability);
}

std::string BayesianNetwork::to_dot(const Dag& dag) const {
    const auto quoted = [&](Index node) {
        std::string text = "\"";
        for (const char c : table_.names[at(node)]) {
            if (c == '"' || c == '\\')
                text += '\\';
            text += c;
        }
        return text + '"';
    };
    std::string text = "digraph network {\n";
    for (Index node = 0; node < nodes(); ++node)
        text += "    " + quoted(node) + ";\n";
    for (const auto& [parent, child] : dag.edges())
        text += "    " + quoted(parent) + " -> " + quoted(child) + ";\n";
    return text + "}\n";
}

void BayesianNetwork::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("bayesian-network");
    fingerprint.add(static_cast<double>(table_.rows()));
    for (const Index levels : table_.levels)
        fingerprint.add(static_cast<double>(levels));
    fingerprint.add(std::string_view(reinterpret_cast<const char*>(table_.values.data()),
                                     static_cast<std::size_t>(table_.values.size())));
    fingerprint.add(static_cast<double>(scores_.parent_limit()));
    fingerprint.add(settings_.edge_prior);
    fingerprint.add(settings_.equivalent_sample_size);
}

} // namespace pearlite::models
