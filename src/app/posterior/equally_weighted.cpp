#include "app/posterior/equally_weighted.hpp"

#include "models/state_space/particle_filter.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::app {

std::vector<Index> systematic_draws(std::span<const double> log_weights, Index n, std::uint64_t seed,
                                    std::uint64_t id) {
    const double largest = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> weights;
    for (const double log_weight : log_weights)
        weights.push_back(std::exp(log_weight - largest));
    random::Stream stream({seed, random::Purpose::posterior_draw, id, 0});
    std::vector<Index> drawn(static_cast<std::size_t>(n));
    models::systematic_ancestors(weights, stream.uniform(), drawn);
    return drawn;
}

} // namespace pearlite::app
