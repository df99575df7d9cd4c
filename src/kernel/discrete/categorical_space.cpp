#include "pearlite/core/error.hpp"
#include "pearlite/kernel/detail/any_categorical_space.hpp"

#include <utility>

namespace pearlite::kernel {

AnyCategoricalSpace::AnyCategoricalSpace(std::shared_ptr<const CategoricalFunctions> energy,
                                         const CategoricalOperationSettings& settings)
    : energy_(std::move(energy)), operations_(settings, energy_->levels(), energy_->has_change()) {}

void AnyCategoricalSpace::draw_start(Chains& chains, const model::BlockStreams& streams) const {
    std::vector<std::int32_t> x(static_cast<std::size_t>(sites()));
    for (Index i = 0; i < chains.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        const double energy = draw_inside(
            x, [&](std::span<std::int32_t> state) { operations_.draw(stream, state); },
            [&](std::span<const std::int32_t> state) { return energy_->energy(state); });
        chains.set(i, x, energy);
        if (energy_->has_change())
            try_change(x, energy, stream);
    }
}

void AnyCategoricalSpace::try_change(std::vector<std::int32_t>& x, double energy, random::Stream& stream) const {
    const auto site = stream.index(x.size());
    const std::int32_t value = operations_.other_value(static_cast<Index>(site), x[site], stream.uniform());
    const double change = energy_->change(x, static_cast<Index>(site), value);
    x[site] = value;
    require_same_change(energy, energy_->energy(x), change, "change()");
}

void AnyCategoricalSpace::mutate(Chains& chains, Index op, const model::ProposalScale&, std::span<const double>,
                                 const model::BlockStreams& streams, model::Proposals& proposals) const {
    operations_.mutate(chains, op, streams);
    energy_->propose_edited(chains);
    chains.write_proposals(proposals);
}

void AnyCategoricalSpace::cross(Chains& chains, const model::Partners<Chains>& partners, Index op,
                                const model::Meetings& meetings, const model::ProposalScale&, std::span<const double>,
                                const model::BlockStreams& streams, model::Proposals& proposals) const {
    operations_.cross(chains, partners[0], op, meetings, streams);
    energy_->propose_children(chains, meetings);
    chains.write_proposals(proposals);
}

model::StateDescription AnyCategoricalSpace::describe(std::span<const std::byte> packed) const {
    auto chains = make_chains(1);
    chains.unpack(0, packed);
    const auto x = std::as_const(chains).state(0);
    return {.values = {x.begin(), x.end()}};
}

} // namespace pearlite::kernel
