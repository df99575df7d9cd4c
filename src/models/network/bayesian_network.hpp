#pragma once
/// Learning the structure of a Bayesian network from discrete data: an energy over directed acyclic graphs (DAGs) and
/// the operations that walk among them.

#include "models/network/family_scores.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/random/stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::models {

/// A network with a temporal order: a permutation of the nodes in which all parents of a node come before it, so that
/// there are no cycles. Made and changed by BayesianNetwork, which also keeps the energy.
class Dag {
  public:
    Index nodes() const { return static_cast<Index>(parents_.size()); }
    double energy() const { return energy_; }
    NodeSet parents(Index node) const { return parents_[static_cast<std::size_t>(node)]; }
    std::span<const NodeSet> parents() const { return parents_; }
    /// The nodes from first to last.
    std::span<const std::uint8_t> order() const { return order_; }
    /// (parent, child), by child.
    std::vector<std::pair<Index, Index>> edges() const;
    bool operator==(const Dag&) const = default;

  private:
    friend class BayesianNetwork;
    std::vector<NodeSet> parents_;
    std::vector<double> scores_; ///< of the families; their sum is the energy
    std::vector<std::uint8_t> order_;
    double energy_ = 0;
};

/// The operations of Karagiannis et al. 2017, appendix B (after Wallace & Korb 1999).
enum class NetworkOperation : std::uint8_t {
    temporal_order,        ///< swap two neighbours in the order; an edge between them is reversed
    skeletal_change,       ///< add the edge between two nodes, along the order, or delete it
    double_skeletal_change ///< the same with two different pairs of nodes at once
};

/// The changes that an operation would make to a network.
struct NetworkProposal {
    struct Change {
        Index node = 0;
        NodeSet parents = 0;
        double score = 0;
    };
    double energy = 0; ///< of the new network; +inf if a node would have too many parents (there is nothing to apply)
    double log_ratio = 0; ///< log q(new -> old) - log q(old -> new)
    std::array<Change, 2> changes{};
    Index n_changes = 0; ///< families that change: 0, 1 or 2
    Index swapped = -1;  ///< the place in the order that changes places with the next one; -1: the order stays
};

/// U(G) = the sum over nodes of FamilyScores::score, the negative log posterior of G up to a constant.
///
/// The state is a pair (network, order), as in the paper. Its appendix leaves the order out of the state, although the
/// operations need it: which nodes are neighbours and where an added edge points depends on it. With the order in the
/// state every operation is a choice, uniform on a set that is the same for all states, of an involution: the choice
/// that leads from x to x' leads back from x' to x. Hence q(x -> x') = q(x' -> x), log_ratio is 0 and the acceptance
/// probability of the paper is right, if proposals over the parent limit are rejected, not drawn again. The invariant
/// density is exp(-U(G) / tau) over *pairs*: the marginal of G has the number of its orders as a further factor.
/// Minima are the same.
class BayesianNetwork {
  public:
    using State = Dag;
    using Operation = NetworkOperation;
    using Proposal = NetworkProposal;
    static constexpr std::array<NetworkOperation, 3> operations{
        NetworkOperation::temporal_order, NetworkOperation::skeletal_change, NetworkOperation::double_skeletal_change};
    static constexpr Index largest_exact = 25;

    /// Tabulates the family scores (815 189 of SPECT's 23 variables in 0.2 s). InputError as FamilyScores; fewer than
    /// three variables are an InputError too.
    BayesianNetwork(DiscreteTable table, const NetworkSettings& settings);

    Index nodes() const { return scores_.variables(); }
    const FamilyScores& scores() const { return scores_; }
    const DiscreteTable& table() const { return table_; }
    const NetworkSettings& settings() const { return settings_; }

    /// No edges, the nodes in their natural order.
    Dag empty_network() const;
    /// With these parents (one set per node) and the first of its orders by the nodes' numbers. InputError for a cycle
    /// or too many parents.
    Dag network(std::span<const NodeSet> parents) const;
    /// A random start: an order uniform on all, and for every node a uniform number of parents, at most the limit,
    /// drawn uniformly from the nodes before it.
    Dag draw_network(random::Stream& stream) const;

    /// The number of choices of an operation, all equally likely: n-1, n(n-1)/2 = p, p(p-1).
    std::uint64_t choices(NetworkOperation operation) const;
    /// The proposal of choice `choice`, 0 .. choices(operation)-1, for this network.
    NetworkProposal proposal(const Dag& dag, NetworkOperation operation, std::uint64_t choice) const;
    /// A uniform choice.
    NetworkProposal propose(const Dag& dag, NetworkOperation operation, random::Stream& stream) const {
        return proposal(dag, operation, stream.index(choices(operation)));
    }
    /// Carries out a proposal made for this network, of finite energy (else ContractViolation).
    void apply(const NetworkProposal& proposal, Dag& dag) const;

    /// The log probability of the network's order under a distribution on all orders of the network that is uniform if
    /// no node has two parents and else about so: of the nodes whose parents all stand before, the next one is drawn in
    /// proportion to the number of its descendants, itself included. A pair weighted with it makes of the invariant
    /// density over pairs exp(-U(G) / tau) over networks, whatever number of orders each has.
    double log_order_probability(const Dag& dag) const;

    /// A network of least energy, by dynamic programming over node sets (Silander & Myllymaki 2006). For at most 25
    /// nodes, else InputError; needs 8 * 2^n bytes (64 MiB for SPECT's 23 nodes) and 8 bytes for each possible parent
    /// set of one node; time grows as n 2^n (SPECT: seconds).
    Dag exact_minimum() const;

    /// The order, a byte per node, then the parents, 8 little-endian bytes per node.
    std::size_t packed_bytes() const { return 9 * static_cast<std::size_t>(nodes()); }
    void pack(const Dag& dag, std::span<std::byte> out) const;
    /// The inverse, the energy bit for bit; ContractViolation if the bytes are not those of a network.
    Dag unpack(std::span<const std::byte> in) const;

    /// The network in the language of Graphviz.
    std::string to_dot(const Dag& dag) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    void add_change(NetworkProposal& proposal, const Dag& dag, Index node, NodeSet parents) const;
    NetworkProposal swap_neighbours(const Dag& dag, Index place) const;
    void score_all(Dag& dag) const;
    bool is_network(const Dag& dag) const;

    DiscreteTable table_;
    NetworkSettings settings_;
    FamilyScores scores_;
    /// Pairs of places in the order, the earlier first.
    std::vector<std::pair<std::uint8_t, std::uint8_t>> pairs_;
};

} // namespace pearlite::models
