#pragma once
/// Small functions on blocks that every sampler uses.

#include "pearlite/model/target.hpp"
#include "population/population.hpp"

#include <span>

namespace pearlite::algorithm {

/// The streams of local block b at a step.
model::BlockStreams block_streams(const population::Generation& generation, Index b, const random::Seed& seed,
                                  Index step);

/// An empty population of a target's particles; runs of `blocks_together` neighbouring blocks belong to one rank.
population::Population population_of(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                                     Index blocks_together = 1);

/// Recomputes the data that a target derives from the states, in every block.
void prepare_blocks(const model::Target& target, population::Generation& generation);

/// NaN or +inf among a block's log weights is an error that names step and particle.
void require_numbers(std::span<const double> log_weights, const population::Generation& generation, Index b,
                     Index step);

} // namespace pearlite::algorithm
