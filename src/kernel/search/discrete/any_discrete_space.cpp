#include "pearlite/kernel/detail/any_discrete_space.hpp"

#include "pearlite/kernel/detail/categorical_functions.hpp"
#include "pearlite/kernel/detail/permutation_functions.hpp"

#include <type_traits>

namespace pearlite::kernel {

namespace {

/// The difference at one start, whose stream goes on.
void try_change(const CategoricalFunctions& functions, const CategoricalOperations& operations,
                std::vector<std::int32_t>& x, double energy, random::Stream& stream) {
    if (!functions.has_change())
        return;
    const auto site = stream.index(x.size());
    const std::int32_t value = operations.other_value(static_cast<Index>(site), x[site], stream.uniform());
    const double change = functions.change(x, static_cast<Index>(site), value);
    x[site] = value;
    require_same_change(energy, functions.energy(x), change, "change()");
}

/// The differences at all starts, by each operation.
void try_changes(const PermutationFunctions& functions, const PermutationOperations& operations,
                 PermutationChains& chains, const model::BlockStreams& streams) {
    for (Index op = 0; op < static_cast<Index>(operations.list().size()); ++op) {
        const auto& operation = operations.list()[static_cast<std::size_t>(op)];
        if (!operation.is_local)
            continue;
        operations.mutate(chains, op, streams);
        for (Index i = 0; i < chains.size(); ++i) {
            const auto change = functions.change(chains, i);
            if (!change)
                continue;
            chains.make_step(i);
            const double after = functions.energy(std::as_const(chains).state(i));
            chains.undo_step(i);
            require_same_change(chains.energy(i).value, after, *change, operation.name + "_change()");
        }
    }
}

} // namespace

template <class F>
AnyDiscreteSpace<F>::AnyDiscreteSpace(std::shared_ptr<const F> energy, const typename F::Settings& settings)
    : energy_(std::move(energy)), operations_(energy_->operations(settings)) {}

template <class F>
void AnyDiscreteSpace<F>::draw_start(Chains& chains, const model::BlockStreams& streams) const {
    constexpr bool is_categorical = std::is_same_v<F, CategoricalFunctions>;
    std::vector<std::int32_t> x(static_cast<std::size_t>(sites()));
    for (Index i = 0; i < chains.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        const double energy = draw_inside(
            x, [&](std::span<std::int32_t> state) { operations_.draw(stream, state); },
            [&](std::span<const std::int32_t> state) { return energy_->energy(state); });
        chains.set(i, x, energy);
        if constexpr (is_categorical)
            try_change(*energy_, operations_, x, energy, stream);
    }
    if constexpr (!is_categorical)
        try_changes(*energy_, operations_, chains, streams);
}

template <class F>
void AnyDiscreteSpace<F>::mutate(Chains& chains, Index op, const model::ProposalScale&, std::span<const double>,
                                 const model::BlockStreams& streams, model::Proposals& proposals) const {
    operations_.mutate(chains, op, streams);
    energy_->propose_mutated(chains);
    chains.write_proposals(proposals);
}

template <>
void AnyDiscreteSpace<CategoricalFunctions>::cross(Chains& chains, const model::Partners<Chains>& partners, Index op,
                                                   const model::Meetings& meetings, const model::ProposalScale&,
                                                   std::span<const double>, const model::BlockStreams& streams,
                                                   model::Proposals& proposals) const {
    operations_.cross(chains, partners[0], op, meetings, streams);
    energy_->propose_children(chains, meetings);
    chains.write_proposals(proposals);
}

template <>
void AnyDiscreteSpace<PermutationFunctions>::cross(Chains&, const model::Partners<Chains>&, Index,
                                                   const model::Meetings&, const model::ProposalScale&,
                                                   std::span<const double>, const model::BlockStreams&,
                                                   model::Proposals&) const {
    throw ContractViolation("there are no crossovers of permutations");
}

template <class F>
model::StateDescription AnyDiscreteSpace<F>::describe(std::span<const std::byte> packed) const {
    auto chains = make_chains(1);
    chains.unpack(0, packed);
    const auto x = std::as_const(chains).state(0);
    return {.values = {x.begin(), x.end()}};
}

template class AnyDiscreteSpace<CategoricalFunctions>;
template class AnyDiscreteSpace<PermutationFunctions>;

} // namespace pearlite::kernel
