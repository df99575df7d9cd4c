#include "population/shards.hpp"

namespace pearlite::population {

namespace {

ShardedField nothing_of(ItemType type, std::size_t item_bytes, Index items) {
    return {type,
            item_bytes,
            items,
            0,
            0,
            [](Index, Index, std::span<std::byte>) {},
            [](Index, Index, std::span<const std::byte>) {}};
}

/// The rank's part of a generation, as it is sent to the others.
struct Holding {
    Index size = 0, block = 1, local_blocks = 0;
};

parallel::BlockLayout layout_among(const parallel::Communicator& ranks, const Generation* here) {
    Holding mine;
    if (here)
        mine = {here->size(), here->layout().block(), here->local_blocks()};
    const auto holdings = ranks.all_gather(mine);
    Holding whole;
    std::vector<Index> first_blocks{0};
    for (const auto& holding : holdings) {
        if (holding.size > 0)
            whole = holding;
        first_blocks.push_back(first_blocks.back() + holding.local_blocks);
    }
    auto layout =
        parallel::BlockLayout(whole.size, whole.block, ranks.size(), ranks.rank()).with_runs(std::move(first_blocks));
    PEARLITE_ENSURES(!here || layout.local_items() == here->local_size());
    return layout;
}

} // namespace

ShardedField Share::particles_field() const {
    return here_ ? here_->particles_field(particle_bytes_) : nothing_of(ItemType::bytes, particle_bytes_, size());
}

ShardedField Share::log_weights_field() const {
    return here_ ? here_->log_weights_field() : nothing_of(ItemType::float64, sizeof(double), size());
}

std::vector<Share> shares_of(const parallel::Communicator& ranks, Population* here) {
    const Index n = ranks.max(here ? here->n_generations() : Index{0});
    const auto bytes =
        static_cast<std::size_t>(ranks.max(here ? static_cast<Index>(here->particle_bytes()) : Index{0}));
    std::vector<Share> shares;
    for (Index g = 0; g < n; ++g) {
        Generation* const generation = here ? &here->generation(g) : nullptr;
        shares.emplace_back(generation, layout_among(ranks, generation), bytes);
    }
    return shares;
}

} // namespace pearlite::population
