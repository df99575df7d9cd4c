#pragma once
/// Equally weighted draws from weighted particles. Private to this layer.

#include "pearlite/core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::app {

/// The particles that n systematic draws take, in their order: n W_i of particle i, rounded up or down. With the number
/// at (seed, posterior_draw, id). At least one weight is above 0.
std::vector<Index> systematic_draws(std::span<const double> log_weights, Index n, std::uint64_t seed, std::uint64_t id);

} // namespace pearlite::app
