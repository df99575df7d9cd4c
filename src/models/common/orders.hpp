#pragma once
/// Orders in which the variables of a model are added one by one. Internal to the layer.

#include "pearlite/random/stream.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace pearlite::models {

inline std::vector<Index> given_order(Index n) {
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), Index{0});
    return order;
}

/// Uniform; a function of the seed alone.
inline std::vector<Index> random_order(Index n, std::uint64_t seed) {
    auto order = given_order(n);
    random::Stream stream({seed, random::Purpose::synthetic_data, 0, 0});
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[stream.index(i)]);
    return order;
}

} // namespace pearlite::models
