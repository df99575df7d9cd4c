#pragma once
/// The integer and matrix types that every layer shares.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace pearlite {

/// Counts and positions: particles, slots, blocks, steps.
using Index = std::int64_t;

/// A count or position as the standard library wants it.
constexpr std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
}

/// Counts that 64 bits cannot hold: sums of many 62-bit integer weights. (An extension of the compiler.)
__extension__ typedef unsigned __int128 WideCount; // NOLINT(modernize-use-using): __extension__ begins no alias

/// Blocks are padded to a multiple of this many particles, so that vector code always works on whole packets and a
/// particle's numbers do not depend on how many neighbours its block has.
inline constexpr Index block_padding = 16;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// The log of a weight or density that is zero.
inline constexpr double log_zero = -infinity;

/// `size` rounded up to a multiple of block_padding.
constexpr Index padded(Index size) {
    return (size + block_padding - 1) / block_padding * block_padding;
}

using Matrix = Eigen::MatrixXd; ///< column-major; in a block of particles a column is a particle
using Vector = Eigen::VectorXd;

} // namespace pearlite
