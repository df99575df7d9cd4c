#include "models/network/network_space.hpp"

#include "models/common/space_parts.hpp"

#include <map>

namespace pearlite::models {

using random::Purpose;

NetworkChains::NetworkChains(std::shared_ptr<const BayesianNetwork> model, Index size, bool sample_networks)
    : model_(std::move(model)),
      sample_networks_(sample_networks),
      log_probabilities_(at(size), std::numeric_limits<double>::quiet_NaN()),
      proposed_log_probabilities_(at(size)),
      dags_(at(size), model_->empty_network()),
      proposals_(at(size)) {}

void NetworkChains::pack(Index slot, std::span<std::byte> out) const {
    model_->pack(dag(slot), out);
}

void NetworkChains::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size());
    dags_[at(slot)] = model_->unpack(in);
    log_probabilities_[at(slot)] = std::numeric_limits<double>::quiet_NaN();
}

const Dag& NetworkChains::dag(Index slot) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size());
    return dags_[at(slot)];
}

double NetworkChains::list_edges(Index slot, std::vector<Index>& edges) const {
    const Dag& network = dag(slot);
    const Index n = network.nodes();
    edges.clear();
    for (Index child = 0; child < n; ++child)
        for (NodeSet rest = network.parents(child); rest != 0; rest &= rest - 1)
            edges.push_back(std::countr_zero(rest) * n + child);
    return sample_networks_ ? 0 : model_->log_order_probability(network);
}

double NetworkChains::log_order_ratio(Index slot) {
    double& present = log_probabilities_[at(slot)];
    if (std::isnan(present))
        present = model_->log_order_probability(dags_[at(slot)]);
    proposed_ = dags_[at(slot)];
    model_->apply(proposals_[at(slot)], proposed_);
    double& proposed = proposed_log_probabilities_[at(slot)];
    proposed = model_->log_order_probability(proposed_);
    return proposed - present;
}

const std::vector<std::string>& NetworkSpace::names() {
    static const std::vector<std::string> names{"temporal-order", "skeletal-change", "double-skeletal-change"};
    return names;
}

NetworkSpace::NetworkSpace(BayesianNetwork model, NetworkSpaceSettings settings)
    : model_(std::make_shared<const BayesianNetwork>(std::move(model))), settings_(std::move(settings)) {
    for (const std::size_t place : places_of_operations(settings_.operations, names())) {
        operations_.push_back(static_cast<NetworkOperation>(place));
        list_.push_back({.name = names()[place], .is_local = true});
    }
}

void NetworkSpace::draw_start(Chains& chains, const model::BlockStreams& streams) const {
    for (Index i = 0; i < chains.size(); ++i) {
        random::Stream stream(streams.at(Purpose::start, i));
        chains.dags_[at(i)] = model_->draw_network(stream);
        chains.log_probabilities_[at(i)] = std::numeric_limits<double>::quiet_NaN();
    }
}

void NetworkSpace::evaluate(const Chains& chains, std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == chains.padded_size());
    std::fill(out.begin() + chains.size(), out.end(), 0.0);
    for (Index i = 0; i < chains.size(); ++i)
        out[at(i)] = chains.dags_[at(i)].energy();
}

void NetworkSpace::mutate(Chains& chains, Index op, const model::ProposalScale& /*scale*/,
                          std::span<const double> /*energies*/, const model::BlockStreams& streams,
                          model::Proposals& proposals) const {
    PEARLITE_EXPECTS(op >= 0 && op < static_cast<Index>(operations_.size()));
    const NetworkOperation operation = operations_[at(op)];
    const auto choices = static_cast<double>(model_->choices(operation));
    const double* const u = draw_uniforms(streams.at(Purpose::move, 0), chains.padded_size(), 1, chains.uniforms_);
    proposals.energies.assign(at(chains.padded_size()), 0);
    proposals.log_ratios.assign(at(chains.padded_size()), 0);
    for (Index i = 0; i < chains.size(); ++i) {
        NetworkProposal& proposal = chains.proposals_[at(i)];
        proposal = model_->proposal(chains.dags_[at(i)], operation, static_cast<std::uint64_t>(choice(u[i], choices)));
        proposals.energies[at(i)] = proposal.energy;
        proposals.log_ratios[at(i)] = proposal.log_ratio;
        if (settings_.samples_networks && proposal.energy < infinity)
            proposals.log_ratios[at(i)] += chains.log_order_ratio(i);
    }
}

void NetworkSpace::cross(Chains& /*chains*/, const model::Partners<Chains>& /*partners*/, Index /*op*/,
                         const model::Meetings& /*meetings*/, const model::ProposalScale& /*scale*/,
                         std::span<const double> /*energies*/, const model::BlockStreams& /*streams*/,
                         model::Proposals& /*proposals*/) const {
    throw ContractViolation("Bayesian networks have no crossovers");
}

void NetworkSpace::accept(Chains& chains, std::span<const std::uint8_t> accepted) const {
    for (Index i = 0; i < chains.size(); ++i)
        if (accepted[at(i)] != 0) {
            model_->apply(chains.proposals_[at(i)], chains.dags_[at(i)]);
            chains.log_probabilities_[at(i)] = chains.proposed_log_probabilities_[at(i)];
        }
}

std::optional<double> NetworkSpace::known_minimum() const {
    if (!settings_.exact || model_->nodes() > BayesianNetwork::largest_exact)
        return {};
    static std::map<std::string, double> found; // by data set: runs of a sweep share one, whose minimum takes seconds
    std::string data;
    model::Fingerprint fingerprint([&](std::span<const std::byte> bytes) {
        data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    model_->fingerprint(fingerprint);
    if (const auto known = found.find(data); known != found.end())
        return known->second;
    return found[data] = model_->exact_minimum().energy();
}

model::StateDescription NetworkSpace::describe(std::span<const std::byte> packed) const {
    const auto dag = model_->unpack(packed);
    model::StateDescription description;
    for (const auto& [parent, child] : dag.edges()) {
        description.values.push_back(static_cast<double>(parent));
        description.values.push_back(static_cast<double>(child));
    }
    description.graph = model_->to_dot(dag);
    return description;
}

static_assert(model::SearchSpace<NetworkSpace>);

} // namespace pearlite::models
