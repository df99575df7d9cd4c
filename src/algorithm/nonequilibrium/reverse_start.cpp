#include "algorithm/nonequilibrium/reverse_start.hpp"

#include "algorithm/common/streams.hpp"
#include "parallel/agreement.hpp"
#include "population/resampling.hpp"

namespace pearlite::algorithm {

void place_at_end(const model::Target& target, Block& block, ReverseStart start, double end,
                  const model::BlockStreams& streams) {
    if (const auto* ends = target.offers<model::EndSampler>(); ends && start == ReverseStart::exact)
        ends->draw_end(block, end, streams);
    else if (const auto* mode = target.offers<model::ModeStart>(); mode && start == ReverseStart::mode)
        mode->set_mode(block, end, streams);
    else if (const auto* data = target.offers<model::DataStart>(); data && start == ReverseStart::data)
        data->draw_data(block, end, streams);
}

void resample_ends(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                   population::Generation& pool, std::uint64_t seed, Index step) {
    const auto offspring =
        population::offspring(ranks, pool.layout(), pool.number(), pool.log_weights(),
                              population::Resampling::systematic, seed, static_cast<std::uint32_t>(step));
    population::relocate(ranks, pool, offspring, population.particle_bytes());
    parallel::together(ranks, [&] { prepare_blocks(target, pool); });
}

} // namespace pearlite::algorithm
