#pragma once
/// Products of a matrix with numbers of sixteen points that stand side by side, at the rate of the CPU's multipliers.
/// Each sum is added up in the order of its terms, whatever the width of a register.

#include "simd/arithmetic.hpp"

#include <algorithm>
#include <type_traits>

namespace pearlite::simd {

/// Points side by side: row k of numbers of all points is at 16 k.
inline constexpr Index points_abreast = 16;
/// Number of sums computed at a time: they fill a dozen registers, and each loaded number serves all of them.
template <class Real>
inline constexpr Index sums_abreast = sizeof(Real) == 4 ? 12 : 6;

/// y_j += sum_k x_k a[j along + k across], for j < sums and k < n; x_k and y_j are rows of sixteen points, aligned to
/// a register. `sums` is a multiple of sums_abreast.
template <class Real>
inline void add_lane_products(const Real* x, Index n, const Real* a, Index along, Index across, Index sums, Real* y) {
    using Packet = std::conditional_t<sizeof(Real) == 4, Floats, Doubles>;
    constexpr Index width = lanes<Packet>, registers = std::min<Index>(2, points_abreast / width);
    constexpr Index abreast = 12 / registers;
    static_assert(sums_abreast<Real> % abreast == 0);
    for (Index first = 0; first < sums; first += abreast)
        for (Index lane = 0; lane < points_abreast; lane += registers * width) {
            const Real *from = x + lane, *factors = a + first * along;
            Real* const to = y + first * points_abreast + lane;
            Packet sum[abreast][registers];
            for (Index j = 0; j < abreast; ++j)
                for (Index i = 0; i < registers; ++i)
                    sum[j][i] = load<Packet>(to + j * points_abreast + i * width);
            for (Index k = 0; k < n; ++k, from += points_abreast, factors += across)
                for (Index j = 0; j < abreast; ++j)
                    for (Index i = 0; i < registers; ++i)
                        sum[j][i] =
                            fused(load<Packet>(from + i * width), broadcast<Packet>(factors[j * along]), sum[j][i]);
            for (Index j = 0; j < abreast; ++j)
                for (Index i = 0; i < registers; ++i)
                    store(to + j * points_abreast + i * width, sum[j][i]);
        }
}

/// n rounded up to a multiple of sums_abreast.
template <class Real>
constexpr Index padded_to_sums(Index n) {
    return (n + sums_abreast<Real> - 1) / sums_abreast<Real> * sums_abreast<Real>;
}

} // namespace pearlite::simd
