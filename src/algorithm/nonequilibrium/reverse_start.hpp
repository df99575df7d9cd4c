#pragma once
/// Starts at the end of the path for trajectories that run backwards.

#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/model/target.hpp"
#include "population/population.hpp"

#include <cstdint>

namespace pearlite::algorithm {

using model::ReverseStart;

/// Puts a block's particles at the model's start of this kind at the inverse temperature `end`; particles stay as they
/// are for weighted starts and for starts that the model does not offer.
void place_at_end(const model::Target& target, Block& block, ReverseStart start, double end,
                  const model::BlockStreams& streams);

/// Collective. The end states of forward trajectories (a generation of `population`), whose log weights are numbers,
/// become starts in proportion to their weights; their log weights are 0 after that.
void resample_ends(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                   population::Generation& pool, std::uint64_t seed, Index step);

} // namespace pearlite::algorithm
