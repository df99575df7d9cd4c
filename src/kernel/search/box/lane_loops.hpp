#pragma once
/// Loops over the coordinates of chains in lanes, in which operations of a box spend their time: kernels of
/// simd/instructions.hpp. Matrices have a row for each coordinate, vectors a number for each lane, and both are aligned
/// and padded to lane_padding.

#include "simd/rows.hpp"

#include <cstdint>
#include <span>

namespace pearlite::kernel::lane_loops {

using simd::ConstRows;
using simd::NoiseRows;
using simd::Rows;

/// to = x + s z, for z of as many rows as to has coordinates, d; square = |s z|^2.
template <class Instructions>
void normal_steps(ConstRows x, NoiseRows z, const double* s, Index d, Rows to, double* square);
/// to = x + step e, e = z/|z| of the first d rows of z, step = s z_d of the last; square = step^2.
template <class Instructions>
void directed_steps(ConstRows x, NoiseRows z, const double* s, Index d, Rows to, double* square);
/// to = x + r (y - z), or, unless `is_difference`, x + r y.
template <class Instructions>
void multiples(ConstRows x, const double* r, ConstRows y, ConstRows z, bool is_difference, Index d, Rows to);
/// |y - x|^2.
template <class Instructions>
void square_distances(ConstRows x, ConstRows y, Index d, double* out);
/// to = x, but y from every other cut to the next; a cut before a coordinate is -1 in its row of `cuts`, else 0.
template <class Instructions>
void swap_between_cuts(ConstRows x, ConstRows y, const std::int64_t* cuts, Index d, Rows to);
/// Energies of points outside the closed box become +inf.
template <class Instructions>
void refuse_outside(ConstRows x, std::span<const double> lower, std::span<const double> upper, double* energies);
/// to = x in lanes that are not 0 in `taken`.
template <class Instructions>
void take(ConstRows x, const std::uint8_t* taken, Index d, Rows to);

} // namespace pearlite::kernel::lane_loops
