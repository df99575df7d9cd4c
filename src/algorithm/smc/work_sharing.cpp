#include "algorithm/smc/work_sharing.hpp"

#include "parallel/agreement.hpp"
#include "population/generation.hpp"

#include <utility>

namespace pearlite::algorithm {

std::optional<std::vector<Index>> better_runs(const parallel::Communicator& ranks, const model::Target& target,
                                              const population::Population& population, population::WorkBalance& work) {
    if (!work.is_due())
        return {};
    const auto& particles = population.generation(0);
    std::vector<double> declared;
    if (const auto* cost = target.offers<model::BlockCost>())
        parallel::together(ranks, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b)
                declared.push_back(cost->cost(particles.block(b)));
        });
    const auto block_bytes = population.particle_bytes() * static_cast<std::size_t>(particles.layout().block());
    return work.better_runs(particles.layout(), declared, block_bytes);
}

void deal_blocks(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                 std::vector<Index> first_blocks) {
    auto& particles = population.generation(0);
    population::deal(ranks, particles, particles.layout().with_runs(std::move(first_blocks)),
                     population.particle_bytes(), population.make_block(),
                     [&](Block& block) { target.prepare(block); });
}

} // namespace pearlite::algorithm
