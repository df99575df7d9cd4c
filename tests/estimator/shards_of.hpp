#pragma once
/// Numbers that every rank knows, as shards.

#include "population/shards.hpp"
#include "population/uneven_layouts.hpp"

#include <vector>

namespace pearlite::estimator::testing {

/// All numbers on one rank.
inline population::Shards whole(const std::vector<double>& values, Index block = 16) {
    const auto n = static_cast<Index>(values.size());
    return {parallel::Communicator::alone(), parallel::BlockLayout(n, block, 1, 0), values};
}

/// The share of this rank.
inline population::Shards shard(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                const std::vector<double>& values) {
    return {ranks, layout,
            std::span(values).subspan(static_cast<std::size_t>(layout.first_local_item()),
                                      static_cast<std::size_t>(layout.local_items()))};
}

} // namespace pearlite::estimator::testing
