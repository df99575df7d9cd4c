#pragma once
/// How trajectories that run backwards come to the end of the path.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/population/resampling.hpp"
#include "pearlite/sampler/streams.hpp"

namespace pearlite::sampler {

/// How trajectories that run backwards come to p_K: exact draws; a mode; states made from data; or the end states of
/// separate forward trajectories, resampled by their weights.
enum class ReverseStart { exact, mode, data, weighted };

/// Puts a block's particles where the model has them start at the inverse temperature `end`; weighted starts, and those
/// that it does not have, stay as they are.
template <model::AnnealedModel M>
void place_at_end(const M& model, typename M::Block& block, ReverseStart start, double end,
                  const model::BlockStreams& streams) {
    if (start == ReverseStart::exact) {
        if constexpr (model::HasEndSampler<M>)
            model.draw_end(block, end, streams);
    } else if (start == ReverseStart::mode) {
        if constexpr (model::HasMode<M>)
            model.set_mode(block, end, streams);
    } else if (start == ReverseStart::data) {
        if constexpr (model::HasDataStart<M>)
            model.draw_data(block, end, streams);
    }
}

/// Collective. The end states of forward trajectories, whose log weights are numbers, become starts in proportion to
/// their weights; their log weights are 0 after that.
template <model::AnnealedModel M>
void resample_ends(const parallel::Communicator& ranks, const M& model, population::Generation<typename M::Block>& pool,
                   std::uint64_t seed, Index step) {
    const auto offspring =
        population::offspring(ranks, pool.layout(), pool.number(), pool.log_weights(),
                              population::Resampling::systematic, seed, static_cast<std::uint32_t>(step));
    population::relocate(ranks, pool, offspring, packed_particle_bytes(model));
    parallel::together(ranks, [&] { prepare_blocks(model, pool); });
}

} // namespace pearlite::sampler
