#pragma once
/// The random streams of one block at one step.

#include "pearlite/random/stream.hpp"

namespace pearlite::model {

/// Addresses of random numbers for one block in one step of a run. `at(purpose, i)`: the stream of the particle in slot
/// i of the block (by its global slot); `shared(purpose)`: that of the whole block (by its global number), for draws
/// that the layout takes for all its particles at once.
struct BlockStreams {
    random::Seed seed = {};
    std::uint32_t step = 0;
    Index generation = 0;
    Index first_slot = 0;          ///< global slot of the block's first particle
    Index block = 0;               ///< global number of the block in its generation
    std::uint32_t run_step = step; ///< the step as messages name it; addresses of many moves in a step have their own

    random::Address at(random::Purpose purpose, Index i) const {
        return {seed, purpose, random::slot_id(generation, first_slot + i), step};
    }
    random::Address shared(random::Purpose purpose) const {
        return {seed, purpose, random::slot_id(generation, block), step};
    }
};

} // namespace pearlite::model
