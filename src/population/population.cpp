#include "population/population.hpp"

namespace pearlite::population {

Population::Population(const parallel::Communicator& ranks, MakeBlock make_block, std::size_t particle_bytes,
                       Index blocks_together)
    : ranks_(ranks),
      make_block_(std::move(make_block)),
      particle_bytes_(particle_bytes),
      blocks_together_(blocks_together) {
    PEARLITE_EXPECTS(blocks_together >= 1);
}

parallel::BlockLayout Population::layout_of(Index size, Index block) const {
    parallel::BlockLayout layout(size, block, ranks_.size(), ranks_.rank());
    if (blocks_together_ == 1)
        return layout;
    const parallel::BlockLayout blocks(layout.blocks(), blocks_together_, ranks_.size(), ranks_.rank());
    std::vector<Index> first_blocks;
    for (int rank = 0; rank <= ranks_.size(); ++rank)
        first_blocks.push_back(blocks.first_item(rank));
    return layout.with_runs(std::move(first_blocks));
}

Generation& Population::append(Index size, Index block) {
    return generations_.emplace_back(layout_of(size, block), n_generations(), make_block_);
}

void Population::keep(Index n) {
    PEARLITE_EXPECTS(n >= 0 && n <= n_generations());
    while (n_generations() > n)
        generations_.pop_back();
}

Index Population::size() const {
    Index total = 0;
    for (const auto& generation : generations_)
        total += generation.size();
    return total;
}

void Population::fields(Fields& f) {
    Index count = n_generations();
    f("generations", count);
    if (f.is_reading())
        generations_.clear();
    for (Index g = 0; g < count; ++g) {
        f.enter("generation-" + std::to_string(g));
        Index size = 0, block = 0;
        if (!f.is_reading()) {
            size = generation(g).size();
            block = generation(g).layout().block();
        }
        f("size", size);
        f("block", block);
        if (f.is_reading()) // before memory is allocated for `size` particles
            PEARLITE_EXPECTS(block >= 1 && f.has_items("log_weight", size));
        auto& particles = f.is_reading() ? append(size, block) : generation(g);
        f.sharded("particles", particles.particles_field(particle_bytes_));
        f.sharded("log_weight", particles.log_weights_field());
        f.sharded("eve", particles.eves_field());
        f.leave();
    }
}

} // namespace pearlite::population
