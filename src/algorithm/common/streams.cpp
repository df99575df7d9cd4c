#include "algorithm/common/streams.hpp"

#include "pearlite/core/error.hpp"

#include <cmath>

namespace pearlite::algorithm {

model::BlockStreams block_streams(const population::Generation& generation, Index b, const random::Seed& seed,
                                  Index step) {
    const auto& layout = generation.layout();
    const Index block = layout.first_local_block() + b;
    return {seed, static_cast<std::uint32_t>(step), generation.number(), block * layout.block(), block};
}

population::Population population_of(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                                     Index blocks_together) {
    const auto bytes = target->particle_bytes();
    return {ranks, [target = std::move(target)](Index size) { return target->make_block(size); }, bytes,
            blocks_together};
}

void prepare_blocks(const model::Target& target, population::Generation& generation) {
    for (Index b = 0; b < generation.local_blocks(); ++b)
        target.prepare(generation.block(b));
}

void require_numbers(std::span<const double> log_weights, const population::Generation& generation, Index b,
                     Index step) {
    for (std::size_t i = 0; i < log_weights.size(); ++i)
        if (!(log_weights[i] < infinity))
            throw NumericalError("the log weight of particle " +
                                 std::to_string(generation.layout().first_local_item() + generation.block_begin(b) +
                                                static_cast<Index>(i)) +
                                 (std::isnan(log_weights[i]) ? " is NaN at step " : " is infinite at step ") +
                                 std::to_string(step));
}

} // namespace pearlite::algorithm
