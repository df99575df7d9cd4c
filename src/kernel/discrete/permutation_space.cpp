#include "pearlite/core/error.hpp"
#include "pearlite/kernel/detail/any_permutation_space.hpp"

#include <utility>

namespace pearlite::kernel {

AnyPermutationSpace::AnyPermutationSpace(std::shared_ptr<const PermutationFunctions> energy,
                                         const PermutationOperationSettings& settings)
    : energy_(std::move(energy)),
      operations_(settings, energy_->size(),
                  {energy_->has_change(PermutationStep::swap), energy_->has_change(PermutationStep::insertion),
                   energy_->has_change(PermutationStep::reversal)}) {}

void AnyPermutationSpace::draw_start(Chains& chains, const model::BlockStreams& streams) const {
    std::vector<std::int32_t> x(static_cast<std::size_t>(size()));
    for (Index i = 0; i < chains.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        const double energy = draw_inside(
            x, [&](std::span<std::int32_t> state) { operations_.draw(stream, state); },
            [&](std::span<const std::int32_t> state) { return energy_->energy(state); });
        chains.set(i, x, energy);
    }
    for (Index op = 0; op < static_cast<Index>(operations().size()); ++op)
        try_changes(chains, op, streams);
}

void AnyPermutationSpace::try_changes(Chains& chains, Index op, const model::BlockStreams& streams) const {
    const auto& operation = operations()[static_cast<std::size_t>(op)];
    if (!operation.is_local)
        return;
    operations_.mutate(chains, op, streams);
    for (Index i = 0; i < chains.size(); ++i) {
        const auto change = energy_->change(chains, i);
        if (!change)
            continue;
        chains.make_step(i);
        const double after = energy_->energy(std::as_const(chains).state(i));
        chains.undo_step(i);
        require_same_change(chains.energy(i).value, after, *change, operation.name + "_change()");
    }
}

void AnyPermutationSpace::mutate(Chains& chains, Index op, const model::ProposalScale&, std::span<const double>,
                                 const model::BlockStreams& streams, model::Proposals& proposals) const {
    operations_.mutate(chains, op, streams);
    energy_->propose_stepped(chains);
    chains.write_proposals(proposals);
}

void AnyPermutationSpace::cross(Chains&, const model::Partners<Chains>&, Index, const model::Meetings&,
                                const model::ProposalScale&, std::span<const double>, const model::BlockStreams&,
                                model::Proposals&) const {
    throw ContractViolation("there are no crossovers of permutations");
}

model::StateDescription AnyPermutationSpace::describe(std::span<const std::byte> packed) const {
    auto chains = make_chains(1);
    chains.unpack(0, packed);
    const auto x = std::as_const(chains).state(0);
    return {.values = {x.begin(), x.end()}};
}

} // namespace pearlite::kernel
