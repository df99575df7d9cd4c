#pragma once
/// Chains side by side in vector lanes, fewer of them than particles in a block.

#include "pearlite/core/types.hpp"

namespace pearlite {

/// Chains in lanes are padded to a multiple of this many: a register of doubles.
inline constexpr Index lane_padding = 8;

/// `size` rounded up to a multiple of lane_padding.
constexpr Index lane_padded(Index size) {
    return (size + lane_padding - 1) / lane_padding * lane_padding;
}

} // namespace pearlite
