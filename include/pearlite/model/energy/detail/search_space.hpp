#pragma once
/// The concept of a space that chains search for low energies; SpaceOf makes a Space of it.

#include "pearlite/model/energy/detail/space.hpp"

#include <concepts>

namespace pearlite::model {

/// A space searched by chains that lie side by side in an object of type Chains: slots 0 .. size()-1, and padding.
/// Spans have padded_size() elements. Streams address a chain by its global number.
///   operations()                         at least one mutation
///   make_chains(n)                       empty ones
///   draw_start(chains, streams)          first states, within the space
///   evaluate(chains, out)                energies from the states alone
///   mutate(chains, op, scale, energies, streams, proposals)
///   cross(chains, partners, op, meetings, scale, energies, streams, proposals)
///                                        slot i of partners[k] is the k-th partner's state of chain i; proposals of
///                                        inactive chains are ignored
///   accept(chains, accepted)             the proposals of the last call become states where accepted[i] != 0
///   forget(chains)                       optional: of a space whose energies also depend on the history of a state;
///                                        evaluate() depends on the states alone, and so do energies after both
///   describe(packed)                     optional: a StateDescription
template <class S>
concept SearchSpace = ParticleBlock<typename S::Chains> &&
    requires(const S& space, typename S::Chains& chains, const typename S::Chains& const_chains,
             const Partners<typename S::Chains>& partners, const BlockStreams& streams, std::span<double> out,
             std::span<const double> energies, std::span<const std::uint8_t> mask, const Meetings& meetings,
             const ProposalScale& scale, Proposals& proposals, Fingerprint& fingerprint, Index n) {
    { space.operations() } -> std::convertible_to<std::span<const Operation>>;
    { space.make_chains(n) } -> std::same_as<typename S::Chains>;
    space.draw_start(chains, streams);
    space.evaluate(const_chains, out);
    space.mutate(chains, n, scale, energies, streams, proposals);
    space.cross(chains, partners, n, meetings, scale, energies, streams, proposals);
    space.accept(chains, mask);
    { space.known_minimum() } -> std::convertible_to<std::optional<double>>;
    space.fingerprint(fingerprint);
};

/// Energies depend on how states came about.
template <class S>
concept Forgets = SearchSpace<S> && requires(const S& space, typename S::Chains& chains) {
    space.forget(chains);
};

template <class S>
concept DescribesStates = SearchSpace<S> && requires(const S& space, std::span<const std::byte> packed) {
    { space.describe(packed) } -> std::same_as<StateDescription>;
};

} // namespace pearlite::model
