#pragma once
/// Equally weighted draws from weighted ones that the ranks hold in shards. Private to this layer.

#include "parallel/communicator.hpp"
#include "pearlite/core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::app {

/// Collective. n systematic draws, with the number at (seed, posterior_draw, id), from the weights of all parts one
/// after another; within a part, rank after rank. Returns, for each part, the places drawn here, in ascending order, as
/// often as they are drawn. A weight is positive somewhere; weights count in units of 2^-(62 - log2 M) of the largest.
std::vector<std::vector<Index>> systematic_draws(const parallel::Communicator& ranks,
                                                 std::span<const std::span<const double>> log_weights, Index n,
                                                 std::uint64_t seed, std::uint64_t id);

} // namespace pearlite::app
