#pragma once
/// States of partner chains for crossovers, from whichever ranks own them.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <cstdint>
#include <span>

namespace pearlite::algorithm {

/// Slot i of `result`, which has room for this rank's chains, becomes the state of chain partner_of[first_local + i] of
/// all chains; slots of chains without a partner (-1) stay as they are. Collective; `partner_of` is the same on every
/// rank. States on this rank are copied, the others travel point to point: one packed state per partner moved.
void fetch_partners(const parallel::Communicator& ranks, const model::Space& space, const Block& chains,
                    const parallel::BlockLayout& layout, std::span<const std::int64_t> partner_of, Block& result);

} // namespace pearlite::algorithm
