#pragma once
/// Exponentials, logarithms and uniforms of doubles, a vector register at a time: the same bits in every lane and for
/// every instruction set.

#include "trigonometric_lanes.hpp"

#include <algorithm>

namespace pearlite::models::detail {

using DoubleBits = DoubleLanes::Bits;

inline Doubles all_lanes(double value) {
    return Doubles{} + value;
}
inline Doubles bits_as_doubles(DoubleBits bits) {
    return reinterpret_cast<Doubles>(bits);
}
inline DoubleBits doubles_as_bits(Doubles x) {
    return reinterpret_cast<DoubleBits>(x);
}
inline Doubles load(const double* address) {
    return load<DoubleLanes>(address);
}
inline Doubles minimum(Doubles a, Doubles b) {
    return a < b ? a : b;
}
inline Doubles maximum(Doubles a, Doubles b) {
    return a > b ? a : b;
}

/// Lanes of a comparison: all bits or none.
using LaneMask = decltype(Doubles{} < Doubles{});
inline bool any(LaneMask mask) {
#ifdef __AVX512F__
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#else
    return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0;
#endif
}
/// -|x|.
inline Doubles minus_absolute(Doubles x) {
    return bits_as_doubles(doubles_as_bits(x) | DoubleLanes::sign_bit);
}

/// exp(x), x <= 700, to 1e-14 relative; constant below -700.
[[gnu::always_inline]] inline Doubles exponential(Doubles x) {
    static constexpr auto taylor = inverse_factorials<double, 0, DoubleLanes::taylor_degree>();
    x = maximum(x, all_lanes(DoubleLanes::lowest_exponent));
    const Doubles shifted = fused(x, all_lanes(DoubleLanes::log2_e), all_lanes(DoubleLanes::round_to_integer));
    const Doubles exponent = shifted - DoubleLanes::round_to_integer;
    Doubles r = fused(exponent, all_lanes(-DoubleLanes::ln2_high), x);
    r = fused(exponent, all_lanes(-DoubleLanes::ln2_low), r);
    return bits_as_doubles(doubles_as_bits(series_at(taylor, r)) +
                           (doubles_as_bits(shifted) << DoubleLanes::mantissa_bits));
}

/// log(x) of positive normal numbers, to 2e-16 relative near 1 and elsewhere: x = 2^e m, sqrt(1/2) <= m < sqrt(2),
/// log m = 2 atanh(s), s = (m - 1)/(m + 1), by its series.
[[gnu::always_inline]] inline Doubles logarithm(Doubles x) {
    static constexpr std::array<double, 11> series{2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9, 2.0 / 11,
                                                   2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, exponent_mask = 0xfff0000000000000u,
                            integer_bits = 0x4330000000000000u;
    const DoubleBits bits = doubles_as_bits(x), above = bits - sqrt_half;
    const Doubles e = bits_as_doubles(((above + (std::uint64_t{1023} << 52)) >> 52) | integer_bits) - (0x1p52 + 1023);
    const Doubles f = bits_as_doubles(bits - (above & exponent_mask)) - 1.0;
    const Doubles s = f / (2.0 + f);
    const Doubles log_m = s * series_at(series, s * s);
    return fused(e, all_lanes(DoubleLanes::ln2_high), fused(e, all_lanes(DoubleLanes::ln2_low), log_m));
}

/// The top 53 bits of each as a uniform on (0, 1): the numbers of random::Stream::uniform.
[[gnu::always_inline]] inline Doubles uniforms(DoubleBits bits) {
    const DoubleBits top = bits >> 11;
    const Doubles low = bits_as_doubles((top & 0xffffffffu) | 0x4330000000000000u) - 0x1p52;
    const Doubles high = bits_as_doubles((top >> 32) | 0x4530000000000000u) - 0x1p84;
    return maximum((high + low) * 0x1p-53, all_lanes(0x1p-54));
}

} // namespace pearlite::models::detail
