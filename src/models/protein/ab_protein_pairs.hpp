#pragma once
/// The pairs of monomers of one chain, eight at a time: rows i, packets of eight columns j. The energy of a pair is
/// 0 in the table if j < i + 2, and beyond the chain, so that any rectangle of rows and packets may be summed.

#include "models/protein/ab_protein.hpp"

#include "simd/arithmetic.hpp"

namespace pearlite::models::detail {

using Eight = simd::Doubles8;

/// Added to squared distances: for monomers that coincide U is then +inf, and nothing is divided by zero. No other
/// distance is changed by it.
inline constexpr double least_square = 1e-60;

/// The sum of eight numbers, in the order in which halves are added to halves.
[[gnu::always_inline]] inline double sum_of_eight(Eight x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// q^3 (repulsion q^3 - attraction)
[[gnu::always_inline]] inline Eight contact(Eight q, Eight repulsion, Eight attraction) {
    const Eight q3 = q * q * q;
    return q3 * simd::fused(repulsion, q3, -attraction);
}

/// The energies of the pairs (row, j) and (row + 1, j), j in the packets `first` .. `last`: use(offset, energies),
/// with the offset in a table of pairs. `places` is space x stride, coordinates by rows.
template <int dimensions, class Use>
[[gnu::always_inline]] inline void two_rows(const AbProteinPairs& pairs, const double* places, Index row, Index first,
                                            Index last, Use use) {
    const Index stride = pairs.stride;
    Eight one[dimensions], other[dimensions];
#pragma GCC unroll 3
    for (Index k = 0; k < dimensions; ++k) {
        one[k] = simd::broadcast<Eight>(places[k * stride + row]);
        other[k] = simd::broadcast<Eight>(places[k * stride + row + 1]);
    }
    const double* const repulsion = pairs.repulsion.data() + row * stride;
    const double* const attraction = pairs.attraction.data() + row * stride;
    for (Index j = 8 * first; j <= 8 * last; j += 8) { // two inverses by one division
        Eight a = simd::broadcast<Eight>(least_square);
        Eight b = a;
#pragma GCC unroll 3
        for (Index k = 0; k < dimensions; ++k) {
            const Eight place = simd::load<Eight>(places + k * stride + j);
            const Eight from_one = place - one[k], from_other = place - other[k];
            a = simd::fused(from_one, from_one, a);
            b = simd::fused(from_other, from_other, b);
        }
        const Eight inverse = 1.0 / (a * b);
        use(row * stride + j,
            contact(b * inverse, simd::load<Eight>(repulsion + j), simd::load<Eight>(attraction + j)));
        use((row + 1) * stride + j, contact(a * inverse, simd::load<Eight>(repulsion + stride + j),
                                            simd::load<Eight>(attraction + stride + j)));
    }
}

/// The energies of the pairs (row, j) and (row + 1, j), j in the packets from `first` on, and what they add to the
/// derivatives in the places, `slopes`, space x stride as the places.
template <int dimensions>
[[gnu::always_inline]] inline Eight two_rows_with_slopes(const AbProteinPairs& pairs, const double* places, Index row,
                                                         Index first, double* slopes) {
    const Index stride = pairs.stride;
    Eight one[dimensions], other[dimensions], of_one[dimensions]{}, of_other[dimensions]{};
#pragma GCC unroll 3
    for (Index k = 0; k < dimensions; ++k) {
        one[k] = simd::broadcast<Eight>(places[k * stride + row]);
        other[k] = simd::broadcast<Eight>(places[k * stride + row + 1]);
    }
    const double* const repulsion = pairs.repulsion.data() + row * stride;
    const double* const attraction = pairs.attraction.data() + row * stride;
    Eight energies{};
    for (Index j = 8 * first; j < stride; j += 8) {
        Eight a = simd::broadcast<Eight>(least_square), b = a, from_one[dimensions], from_other[dimensions];
#pragma GCC unroll 3
        for (Index k = 0; k < dimensions; ++k) {
            const Eight place = simd::load<Eight>(places + k * stride + j);
            from_one[k] = place - one[k];
            from_other[k] = place - other[k];
            a = simd::fused(from_one[k], from_one[k], a);
            b = simd::fused(from_other[k], from_other[k], b);
        }
        const Eight inverse = 1.0 / (a * b);
        // dU/d(r^2) = -q^2 dU/dq, and the gradient of r^2 is twice the vector between the places.
        const auto slope = [&](Eight q, Index offset) __attribute__((always_inline)) {
            const Eight q3 = q * q * q, repels = simd::load<Eight>(repulsion + offset) * q3,
                        attracts = simd::load<Eight>(attraction + offset);
            energies = simd::fused(q3, repels - attracts, energies);
            return -6.0 * q * q3 * (repels + repels - attracts);
        };
        const Eight first_slope = slope(b * inverse, j), second_slope = slope(a * inverse, stride + j);
#pragma GCC unroll 3
        for (Index k = 0; k < dimensions; ++k) {
            const Eight by_one = first_slope * from_one[k], by_other = second_slope * from_other[k];
            of_one[k] += by_one;
            of_other[k] += by_other;
            double* const to = slopes + k * stride + j;
            simd::store(to, simd::load<Eight>(to) + (by_one + by_other));
        }
    }
#pragma GCC unroll 3
    for (Index k = 0; k < dimensions; ++k) {
        slopes[k * stride + row] -= sum_of_eight(of_one[k]);
        slopes[k * stride + row + 1] -= sum_of_eight(of_other[k]);
    }
    return energies;
}

/// Visits all pairs; use(offset, energies) as above.
template <int dimensions, class Use>
[[gnu::always_inline]] inline void all_rows(const AbProteinPairs& pairs, const double* places, Use use) {
    for (Index row = 0; row + 2 < pairs.monomers; row += 2)
        two_rows<dimensions>(pairs, places, row, (row + 2) / 8, pairs.stride / 8 - 1, use);
}

} // namespace pearlite::models::detail
