#pragma once
/// What chains on different ranks tell each other for crossovers: states of partners, children of pairs.

#include "algorithm/searches/search_settings.hpp"
#include "algorithm/stochastic_approximation/search_memory.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Slot i of `result`, which has room for this rank's chains, becomes the state of chain partner_of[first_local + i] of
/// all chains; slots of chains without a partner (-1) stay as they are. Collective; `partner_of` is the same on every
/// rank. States on this rank are copied, the others travel point to point: one packed state per partner moved.
void fetch_partners(const parallel::Communicator& ranks, const model::Space& space, const Block& chains,
                    const parallel::BlockLayout& layout, std::span<const std::int64_t> partner_of, Block& result);

/// The facts of a child by which its pair decides.
struct Child {
    double energy = 0, log_ratio = 0;
    Index region = 0;
};

/// Collective. `all` becomes the children of all chains on every rank, from the proposals of this rank's chains.
void gather_children(const parallel::Communicator& ranks, const parallel::BlockLayout& chains,
                     const model::Proposals& proposals, std::span<const Index> proposed_regions,
                     std::vector<Child>& all);

/// The log acceptance of the pair of chains `one` and `other`; `children` holds the children of all chains.
double log_acceptance_of_pair(const SearchMemory& memory, const SearchMemory::Acceptance& acceptance,
                              const SearchSettings& settings, std::span<const Child> children, std::size_t one,
                              std::size_t other);

} // namespace pearlite::algorithm
