#pragma once
/// The concept of a space that chains search for low energies: states, energies, operations.

#include "pearlite/core/block.hpp"
#include "pearlite/model/block_streams.hpp"
#include "pearlite/model/energy_partition.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// What an operation does to the chains of an iteration.
struct Operation {
    enum class Kind {
        mutation, ///< every chain proposes by itself
        partner,  ///< a chain proposes with the help of the states of `partners` others, which stay put
        pair      ///< two chains propose together and are accepted together
    };
    std::string name;
    Kind kind = Kind::mutation;
    int partners = 0;       ///< of Kind::partner; 1 of Kind::pair
    bool has_scale = false; ///< proposals have a size, to be tuned
    double first_scale = 1; ///< before tuning
    bool heat_bath = false; ///< accepted with probability f'/(f + f') instead of min(1, f'/f): Gibbs of two states
    bool by_energy = false; ///< partners are chosen by their energies, ~ exp(-U/T_sel), else uniformly
    bool is_local = false;  ///< the energy is updated, not computed afresh
    bool is_tuned = true;   ///< a pilot may tune the scale; not where the acceptance does not fall with it
};

/// One proposal per chain: its energy (+inf: outside the space), and the log of what multiplies f'/f in the acceptance
/// (proposal ratio and Jacobian).
struct Proposals {
    std::vector<double> energies;
    std::vector<double> log_ratios;
};

/// Who takes part in a crossover, by slot: `active[i]` is 0 where chain i makes no proposal. Of a pair, both chains
/// have the same `meeting[i]`, the id of the stream of what they share.
struct Meetings {
    std::span<const std::uint8_t> active;
    std::span<const std::int64_t> meeting;
};

/// A space searched by chains that lie side by side in an object of type Chains: slots 0 .. size()-1, and padding.
/// Spans have padded_size() elements. Streams address a chain by its global number.
///   operations()                         at least one mutation
///   make_chains(n)                       empty ones
///   draw_start(chains, streams)          first states, within the space
///   evaluate(chains, out)                energies from the states alone
///   mutate(chains, op, scale, energies, streams, proposals)
///   cross(chains, partners, op, meetings, scale, energies, streams, proposals)
///                                        slot i of partners[k] is the k-th partner's state of chain i; what inactive
///                                        chains propose is ignored
///   accept(chains, accepted)             the proposals of the last call become states where accepted[i] != 0
///   forget(chains)                       optional: of a space whose energies also depend on how states came about;
///                                        evaluate() depends on the states alone, and what follows both too
template <class S>
concept SearchSpace = ParticleBlock<typename S::Chains> &&
    requires(const S& space, typename S::Chains& chains, const typename S::Chains& const_chains,
             std::span<const typename S::Chains> partners, const BlockStreams& streams, std::span<double> out,
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

} // namespace pearlite::model
