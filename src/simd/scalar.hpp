#pragma once
/// Functions of one double in plain IEEE arithmetic, for draws one by one and by the block. Every operation is exactly
/// rounded and explicit (std::fma included), so a compiler's vector code and its scalar code give the same bits, and a
/// draw does not depend on which of them made it. The logarithm is not that of simd/elementary.hpp to the last bit.

#include <bit>
#include <cmath>
#include <cstdint>

namespace pearlite::simd {

/// The double with 52 low bits `mantissa` in the binade of `exponent_bits`: how an integer becomes a double without a
/// conversion instruction (AVX2 has none for 64-bit integers).
inline double compose(std::uint64_t exponent_bits, std::uint64_t mantissa) {
    return std::bit_cast<double>(exponent_bits | mantissa);
}

/// The top 53 bits as a uniform on (0, 1): multiples of 2^-53, with 2^-54 in place of zero.
inline double uniform53(std::uint64_t bits) {
    const std::uint64_t top = bits >> 11;
    const double low = compose(0x4330000000000000u, top & 0xffffffffu) - 0x1p52;
    const double high = compose(0x4530000000000000u, top >> 32) - 0x1p84;
    const double value = (high + low) * 0x1p-53;
    return value > 0x1p-54 ? value : 0x1p-54;
}

/// log(x) of a positive normal number. x = 2^e m with sqrt(1/2) <= m < sqrt(2); log m = 2 atanh(s), s = (m-1)/(m+1),
/// by its series, |s| < 0.172: the first term left out is 3e-17 of the sum.
inline double natural_log(double x) {
    constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, exponent_mask = 0xfff0000000000000u;
    constexpr double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t above = bits - sqrt_half;
    const double e = compose(0x4330000000000000u, (above + (std::uint64_t{1023} << 52)) >> 52) - (0x1p52 + 1023);
    const double f = std::bit_cast<double>(bits - (above & exponent_mask)) - 1;
    const double s = f / (2 + f), z = s * s;
    double series = 2.0 / 21;
    series = std::fma(series, z, 2.0 / 19);
    series = std::fma(series, z, 2.0 / 17);
    series = std::fma(series, z, 2.0 / 15);
    series = std::fma(series, z, 2.0 / 13);
    series = std::fma(series, z, 2.0 / 11);
    series = std::fma(series, z, 2.0 / 9);
    series = std::fma(series, z, 2.0 / 7);
    series = std::fma(series, z, 2.0 / 5);
    series = std::fma(series, z, 2.0 / 3);
    // 2 s = f - s f: so that the rounding error of s, multiplied by a small number, does not matter.
    const double log_m = f - s * (f - z * series);
    return std::fma(e, log2_high, std::fma(e, log2_low, log_m));
}

struct CosineSine {
    double cosine;
    double sine;
};

/// Cosine and sine of 2 pi u, 0 <= u <= 1. u = q/4 + t exactly, |t| <= 1/8; Taylor series in 2 pi t; then turned by q
/// quarters.
inline CosineSine cosine_sine_2pi(double u) {
    constexpr double shift = 0x1.8p52, two_pi = 0x1.921fb54442d18p2;
    const double shifted = std::fma(u, 4.0, shift);
    const std::uint64_t q = std::bit_cast<std::uint64_t>(shifted);
    const double z = two_pi * std::fma(shifted - shift, -0.25, u), w = z * z;
    double sine = -1.0 / 1307674368000;
    sine = std::fma(sine, w, 1.0 / 6227020800);
    sine = std::fma(sine, w, -1.0 / 39916800);
    sine = std::fma(sine, w, 1.0 / 362880);
    sine = std::fma(sine, w, -1.0 / 5040);
    sine = std::fma(sine, w, 1.0 / 120);
    sine = std::fma(sine, w, -1.0 / 6);
    sine = std::fma(sine * w, z, z);
    double cosine = 1.0 / 20922789888000;
    cosine = std::fma(cosine, w, -1.0 / 87178291200);
    cosine = std::fma(cosine, w, 1.0 / 479001600);
    cosine = std::fma(cosine, w, -1.0 / 3628800);
    cosine = std::fma(cosine, w, 1.0 / 40320);
    cosine = std::fma(cosine, w, -1.0 / 720);
    cosine = std::fma(cosine, w, 1.0 / 24);
    cosine = std::fma(cosine, w, -1.0 / 2);
    cosine = std::fma(cosine, w, 1.0);
    const std::uint64_t odd = 0 - (q & 1), c = std::bit_cast<std::uint64_t>(cosine),
                        s = std::bit_cast<std::uint64_t>(sine);
    const std::uint64_t cosine_bits = ((c & ~odd) | (s & odd)) ^ (((q + 1) & 2) << 62);
    const std::uint64_t sine_bits = ((s & ~odd) | (c & odd)) ^ ((q & 2) << 62);
    return {std::bit_cast<double>(cosine_bits), std::bit_cast<double>(sine_bits)};
}

} // namespace pearlite::simd
