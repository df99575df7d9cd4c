#pragma once
/// Work on blocks of unequal cost, shared among ranks. Nothing here changes a number.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/population/deal.hpp"
#include "pearlite/population/work_balance.hpp"
#include "pearlite/sampler/streams.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace pearlite::sampler {

/// Collective, once a step. Runs of blocks by which the ranks have more equal work, if it is time to look and dealing
/// the blocks so would pay.
template <model::AnnealedModel M>
std::optional<std::vector<Index>> better_runs(const parallel::Communicator& ranks, const M& model,
                                              const population::Generation<typename M::Block>& particles,
                                              population::WorkBalance& work) {
    if (!work.is_due())
        return {};
    std::vector<double> declared;
    if constexpr (model::HasBlockCost<M>)
        parallel::together(ranks, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b)
                declared.push_back(model.cost(particles.block(b)));
        });
    const auto block_bytes = packed_particle_bytes(model) * static_cast<std::size_t>(particles.layout().block());
    return work.better_runs(particles.layout(), declared, block_bytes);
}

/// Collective. Gives rank r the blocks from first_blocks[r] up to first_blocks[r + 1].
template <model::AnnealedModel M>
void deal_blocks(const parallel::Communicator& ranks, const M& model,
                 population::Generation<typename M::Block>& particles, std::vector<Index> first_blocks) {
    population::deal(
        ranks, particles, particles.layout().with_runs(std::move(first_blocks)), packed_particle_bytes(model),
        [&](Index size) { return model.make_block(size); }, [&](typename M::Block& block) { model.prepare(block); });
}

} // namespace pearlite::sampler
