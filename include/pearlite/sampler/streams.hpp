#pragma once
/// Small things every sampler does with blocks.

#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/population/generation.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace pearlite::sampler {

/// The streams of local block b at a step.
template <class B>
model::BlockStreams block_streams(const population::Generation<B>& generation, Index b, std::uint64_t seed,
                                  Index step) {
    const auto& layout = generation.layout();
    const Index block = layout.first_local_block() + b;
    return {seed, static_cast<std::uint32_t>(step), generation.number(), block * layout.block(), block};
}

/// Bytes of a packed particle, also where a rank holds none.
template <model::AnnealedModel M>
std::size_t packed_particle_bytes(const M& model) {
    return model.make_block(1).packed_bytes();
}

/// Recomputes what a model derives from the states, in every block.
template <model::AnnealedModel M>
void prepare_blocks(const M& model, population::Generation<typename M::Block>& generation) {
    for (Index b = 0; b < generation.local_blocks(); ++b)
        model.prepare(generation.block(b));
}

/// NaN or +inf among a block's log weights is an error that names step and particle.
template <class B>
void require_numbers(std::span<const double> log_weights, const population::Generation<B>& generation, Index b,
                     Index step) {
    for (std::size_t i = 0; i < log_weights.size(); ++i)
        if (!(log_weights[i] < std::numeric_limits<double>::infinity()))
            throw NumericalError("the log weight of particle " +
                                 std::to_string(generation.layout().first_local_item() + generation.block_begin(b) +
                                                static_cast<Index>(i)) +
                                 (std::isnan(log_weights[i]) ? " is NaN at step " : " is infinite at step ") +
                                 std::to_string(step));
}

} // namespace pearlite::sampler
