#pragma once
/// Products of a matrix with numbers of sixteen points that stand side by side, at the rate of the CPU's multipliers.
/// Each sum is added up in the order of its terms, whatever the width of a register.

#include "simd/arithmetic.hpp"

namespace pearlite::simd {

/// Points side by side: row k of numbers of all points is at 16 k.
inline constexpr Index points_abreast = 16;
/// Sums are made so many at a time, each of two registers of points: they fill the registers, and a number that is
/// loaded is used for all of them.
inline constexpr Index sums_abreast = 6;

/// y_j += sum_k x_k a[j along + k across], for j < sums and k < n; x_k and y_j are rows of sixteen points, aligned to
/// a register. `sums` is a multiple of sums_abreast.
inline void add_lane_products(const double* x, Index n, const double* a, Index along, Index across, Index sums,
                              double* y) {
    constexpr Index width = lanes<Doubles>, registers = 2;
    for (Index first = 0; first < sums; first += sums_abreast)
        for (Index lane = 0; lane < points_abreast; lane += registers * width) {
            const double *from = x + lane, *factors = a + first * along;
            double* const to = y + first * points_abreast + lane;
            Doubles sum[sums_abreast][registers];
            for (Index j = 0; j < sums_abreast; ++j)
                for (Index i = 0; i < registers; ++i)
                    sum[j][i] = load<Doubles>(to + j * points_abreast + i * width);
            for (Index k = 0; k < n; ++k, from += points_abreast, factors += across)
                for (Index j = 0; j < sums_abreast; ++j)
                    for (Index i = 0; i < registers; ++i)
                        sum[j][i] =
                            fused(load<Doubles>(from + i * width), broadcast<Doubles>(factors[j * along]), sum[j][i]);
            for (Index j = 0; j < sums_abreast; ++j)
                for (Index i = 0; i < registers; ++i)
                    store(to + j * points_abreast + i * width, sum[j][i]);
        }
}

/// n rounded up to a multiple of sums_abreast.
constexpr Index padded_to_sums(Index n) {
    return (n + sums_abreast - 1) / sums_abreast * sums_abreast;
}

} // namespace pearlite::simd
