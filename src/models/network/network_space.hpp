#pragma once
/// Bayesian networks searched for low energies: many chains, with the operations of Karagiannis et al. 2017, appendix
/// B.

#include "models/network/bayesian_network.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

struct NetworkSpaceSettings {
    /// temporal-order, skeletal-change, double-skeletal-change.
    std::vector<std::string> operations{"temporal-order", "skeletal-change", "double-skeletal-change"};
    bool exact = false; ///< whether known_minimum() computes the minimum, if the network is small enough
    /// Whether the density over pairs is that over networks times a distribution over the orders of each
    /// (BayesianNetwork::log_order_probability), so that exp(-U / tau) is invariant over networks; else over pairs.
    bool samples_networks = false;
};

/// Networks side by side, and their proposals.
class NetworkChains {
  public:
    /// All networks begin without edges.
    NetworkChains(std::shared_ptr<const BayesianNetwork> model, Index size, bool sample_networks = false);

    Index size() const { return static_cast<Index>(dags_.size()); }
    Index padded_size() const { return padded(size()); }
    /// The packed form of BayesianNetwork.
    std::size_t packed_bytes() const { return model_->packed_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    const Dag& dag(Index slot) const;

    /// As model::GraphStates: the rest of the state is the order, whose distribution is a part of the density if the
    /// chains sample networks.
    const std::vector<std::string>& nodes() const { return model_->table().names; }
    double list_edges(Index slot, std::vector<Index>& edges) const;

  private:
    friend class NetworkSpace;
    /// The log ratio of the orders' probabilities, of the proposal in a slot.
    double log_order_ratio(Index slot);

    std::shared_ptr<const BayesianNetwork> model_;
    bool sample_networks_;
    Dag proposed_; ///< scratch
    /// Of the orders, where the chains sample networks: of states, NaN where not known, and of proposals.
    std::vector<double> log_probabilities_, proposed_log_probabilities_;
    std::vector<Dag> dags_;
    std::vector<NetworkProposal> proposals_; ///< the last ones
    std::vector<double> uniforms_;
};

/// The states are pairs of a network and an order of its nodes (see BayesianNetwork). An operation is a choice, drawn
/// with the same probabilities in every state, that leads from x to x' and from x' to x: proposals are symmetric, also
/// where the choices (at most 2^22) are uniform to 2^-31 only. All are mutations; energies are updated and stay exact.
class NetworkSpace {
  public:
    using Chains = NetworkChains;

    /// InputError for an operation that does not exist or is listed twice. The temporal order and one of the skeletal
    /// changes reach every state; others do not alone.
    explicit NetworkSpace(BayesianNetwork model, NetworkSpaceSettings settings = {});

    const BayesianNetwork& model() const { return *model_; }
    const NetworkSpaceSettings& settings() const { return settings_; }
    /// Names that settings may list, in the order of NetworkOperation.
    static const std::vector<std::string>& names();

    std::span<const model::Operation> operations() const { return list_; }
    Chains make_chains(Index n) const { return Chains(model_, n, settings_.samples_networks); }
    /// Draws each chain as BayesianNetwork::draw_network does.
    void draw_start(Chains& chains, const model::BlockStreams& streams) const;
    /// Padding gets 0, as do its proposals.
    void evaluate(const Chains& chains, std::span<double> out) const;
    /// Scales and `energies` are not looked at: the chains know theirs.
    void mutate(Chains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams, model::Proposals& proposals) const;
    /// ContractViolation: there are no crossovers.
    void cross(Chains& chains, const model::Partners<Chains>& partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies, const model::BlockStreams& streams,
               model::Proposals& proposals) const;
    /// ContractViolation for a proposal of infinite energy.
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const;
    /// That of BayesianNetwork::exact_minimum(), computed when first asked for (not by two threads at once); nothing
    /// unless the settings ask for it, and for more than BayesianNetwork::largest_exact nodes.
    std::optional<double> known_minimum() const;
    /// Covers the model; the settings are not part of it.
    void fingerprint(model::Fingerprint& fingerprint) const { model_->fingerprint(fingerprint); }
    /// The edges, parent and child after each other; and the graph.
    model::StateDescription describe(std::span<const std::byte> packed) const;

  private:
    std::shared_ptr<const BayesianNetwork> model_;
    NetworkSpaceSettings settings_;
    std::vector<NetworkOperation> operations_;
    std::vector<model::Operation> list_;
};

} // namespace pearlite::models
