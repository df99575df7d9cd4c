#pragma once
/// Systematic resampling eight or sixteen particles at a time, for kernels (simd/instructions.hpp).

#include "pearlite/core/detail/contract.hpp"
#include "simd/packet.hpp"

#include <algorithm>
#include <cstdint>

namespace pearlite::models::detail {

using simd::Doubles8;
using Ints16 = simd::Mask<simd::Floats16>;

/// Memory that successive resamplings share, for a padded number of particles, a multiple of sixteen.
struct SlotMemory {
    Eigen::ArrayXd cumulative;                              ///< weights
    Eigen::Array<std::int32_t, Eigen::Dynamic, 1> end;      ///< of each particle's slots
    Eigen::Array<std::int32_t, Eigen::Dynamic, 1> ancestor; ///< of each slot

    void resize(Index n_padded) {
        cumulative.setZero(n_padded);
        end.setZero(n_padded);
        ancestor.setZero(n_padded + 1);
    }
};

/// The sum of the lanes up to each.
[[gnu::always_inline]] inline Doubles8 sums_up_to(Doubles8 x) {
    const Doubles8 zero{};
    x += __builtin_shufflevector(x, zero, 8, 0, 1, 2, 3, 4, 5, 6);
    x += __builtin_shufflevector(x, zero, 8, 8, 0, 1, 2, 3, 4, 5);
    return x + __builtin_shufflevector(x, zero, 8, 8, 8, 8, 0, 1, 2, 3);
}

/// The largest of the lanes up to each; no lane is negative.
[[gnu::always_inline]] inline Ints16 largest_up_to(Ints16 x) {
    const auto larger_of = [](Ints16 a, Ints16 b) { return a > b ? a : b; };
    const Ints16 zero{};
    x = larger_of(x, __builtin_shufflevector(x, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
    x = larger_of(x, __builtin_shufflevector(x, zero, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
    x = larger_of(x, __builtin_shufflevector(x, zero, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    return larger_of(x, __builtin_shufflevector(x, zero, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7));
}

/// Ancestors of `size` slots by the weights of as many particles, padded by zeros, not all zero, aligned to 64 bytes.
/// offset: uniform on (0, 1), at most 1 - 2^-33.
template <class Real>
const std::int32_t* systematic_slots(SlotMemory& memory, const Real* weights, Index size, Index n_padded,
                                     double offset) {
    using Weights = typename simd::detail::PacketOf<Real, 8 * sizeof(Real)>::Type;
    double* const cumulative = memory.cumulative.data();
    std::int32_t* const ends = memory.end.data();
    std::int32_t* const ancestor = memory.ancestor.data();
    double sum = 0;
    for (Index i = 0; i < n_padded; i += 8) {
        const Doubles8 part = sums_up_to(__builtin_convertvector(simd::load<Weights>(weights + i), Doubles8));
        simd::store(cumulative + i, part + sum);
        sum += part[7];
    }
    // Slots up to ceil(c n / sum - offset) belong to particles up to i, c the cumulative weight. The last of these is n
    // whatever the rounding, because the offset keeps its distance from 0 and 1.
    const double scale = static_cast<double>(size) / sum;
    for (Index i = 0; i < n_padded; i += 8) {
        const Doubles8 end = simd::load<Doubles8>(cumulative + i) * scale - offset;
        const auto below = __builtin_convertvector(end, simd::Ints8); // towards zero, for end > -1
        const auto is_above = __builtin_convertvector(end > __builtin_convertvector(below, Doubles8), simd::Ints8);
        simd::store(ends + i, below - is_above);
    }
    PEARLITE_ENSURES(ends[size - 1] == static_cast<std::int32_t>(size));
    std::fill_n(ancestor, n_padded, 0);
    for (Index i = 1; i < size; ++i)
        ancestor[ends[i - 1]] = static_cast<std::int32_t>(i); // the next overwrites it if this one has no slot
    Ints16 last{};
    for (Index slot = 0; slot < n_padded; slot += 16) {
        const Ints16 up_to = largest_up_to(simd::load<Ints16>(ancestor + slot));
        last = up_to > last ? up_to : last;
        simd::store(ancestor + slot, last);
        last = Ints16{} + last[15];
    }
    return ancestor;
}

} // namespace pearlite::models::detail
