#pragma once
/// Blocks change hands: the same generation with its blocks dealt to other ranks.

#include "parallel/communicator.hpp"
#include "population/generation.hpp"

#include <functional>

namespace pearlite::population {

/// Collective. Gives every block to the rank that owns it under `layout`, which has the generation's blocks; blocks
/// that stay are not touched. prepare(block) recomputes the data derived from the states of a block that has arrived.
/// `particle_bytes` is the size of a packed particle.
void deal(const parallel::Communicator& ranks, Generation& generation, const parallel::BlockLayout& layout,
          std::size_t particle_bytes, const MakeBlock& make_block, const std::function<void(Block&)>& prepare);

} // namespace pearlite::population
