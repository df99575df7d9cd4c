#pragma once
/// Functions of one float for normal draws (Box & Muller 1958), in plain IEEE arithmetic as those of simd/scalar.hpp.
/// Two sets, because two kinds of stored numbers were made with them: blocks of normals with the first, normals of
/// chains in lanes with the second.

#include <bit>
#include <cmath>
#include <cstdint>

namespace pearlite::simd {

/// The top 24 bits as a uniform on (0, 1): multiples of 2^-24, with 2^-25 in place of zero.
inline float uniform24(std::uint32_t bits) {
    const float value = static_cast<float>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24f;
    return value > 0x1p-25f ? value : 0x1p-25f;
}

/// The top 31 bits as a uniform on (0, 1]: (k + 1/2) 2^-31 rounded to single precision, never below 2^-32.
inline float uniform31(std::uint32_t bits) {
    return (static_cast<float>(static_cast<std::int32_t>(bits >> 1)) + 0.5f) * 0x1p-31f;
}

// For blocks of normals; polynomials are minimax fits over the ranges stated.

/// -2 log(u), u in [2^-32, 1], to 2e-7 relative or 3e-8 absolute. u = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2);
/// log(1 + f) = f - f^2/2 + f^3 p(f).
inline float minus_two_log(float u) {
    constexpr std::uint32_t sqrt_half = 0x3f3504f3u, exponent_mask = 0xff800000u;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(u), above = bits - sqrt_half;
    const auto e = static_cast<float>(static_cast<std::int32_t>(above) >> 23);
    const float f = std::bit_cast<float>(bits - (above & exponent_mask)) - 1, square = f * f;
    float p = 0.0691542713f;
    p = std::fma(p, f, -0.117898358f);
    p = std::fma(p, f, 0.118729647f);
    p = std::fma(p, f, -0.123843429f);
    p = std::fma(p, f, 0.14218659f);
    p = std::fma(p, f, -0.166692512f);
    p = std::fma(p, f, 0.200022266f);
    p = std::fma(p, f, -0.249999866f);
    p = std::fma(p, f, 0.333333104f);
    const float log_m = std::fma(p * f, square, std::fma(square, -0.5f, f));
    return -2 * std::fma(e, 0.693147181f, log_m);
}

struct CosineSineFloat {
    float cosine;
    float sine;
};

/// Cosine and sine of a uniform angle, to 1.2e-7: the low 30 bits say where in a quarter of the circle around 0, bit 31
/// reflects it, bit 30 swaps cosine and sine.
inline CosineSineFloat random_direction(std::uint32_t bits) {
    const auto place = static_cast<float>(static_cast<std::int32_t>(bits << 2) >> 2);
    const float t = std::fma(place, 0x1p-30f, 0x1p-31f), w = t * t; // quarter circles, |t| <= 1/2
    float sine = -0.004602177f;
    sine = std::fma(sine, w, 0.0796802281f);
    sine = std::fma(sine, w, -0.645963479f);
    sine = std::fma(sine, w, 1.57079632f);
    sine *= t;
    float cosine = 0.0009036317f;
    cosine = std::fma(cosine, w, -0.0208600713f);
    cosine = std::fma(cosine, w, 0.253669204f);
    cosine = std::fma(cosine, w, -1.23370054f);
    cosine = std::fma(cosine, w, 1.0f);
    const std::uint32_t c = std::bit_cast<std::uint32_t>(cosine) ^ (bits & 0x80000000u);
    const std::uint32_t s = std::bit_cast<std::uint32_t>(sine);
    const std::uint32_t swap = 0 - (bits >> 30 & 1);
    return {std::bit_cast<float>((c & ~swap) | (s & swap)), std::bit_cast<float>((s & ~swap) | (c & swap))};
}

// For normals of chains in lanes.

/// A pair of independent N(0, 1) from two words. The radius is made from 31 bits, so it is at most 6.7; the
/// angle from a quadrant and 30 bits.
struct FloatPair {
    float first, second;
};

/// -2 log(u), u = (k + 1/2) / 2^31 of the upper 31 bits k; cut as in natural_log() of simd/scalar.hpp.
inline float square_radius(std::uint32_t bits) {
    constexpr std::uint32_t sqrt_half = 0x3f3504f3u, exponent_mask = 0xff800000u;
    constexpr float log2_high = 0x1.62e4p-1f, log2_low = 0x1.7f7d1cp-20f;
    const float u = (static_cast<float>(static_cast<std::int32_t>(bits >> 1)) + 0.5f) * 0x1p-31f;
    const auto u_bits = std::bit_cast<std::uint32_t>(u);
    const std::uint32_t above = u_bits - sqrt_half;
    const auto e = static_cast<float>(static_cast<std::int32_t>(above) >> 23);
    const float f = std::bit_cast<float>(u_bits - (above & exponent_mask)) - 1;
    // log(1 + f) = f - f^2/2 + f^3 P(f): P interpolates at Chebyshev nodes, to 2e-8 of the logarithm, without a
    // division.
    float series = -0.0790274367f;
    series = std::fma(series, f, 0.126223192f);
    series = std::fma(series, f, -0.129981831f);
    series = std::fma(series, f, 0.142144963f);
    series = std::fma(series, f, -0.166412815f);
    series = std::fma(series, f, 0.200010449f);
    series = std::fma(series, f, -0.25000307f);
    series = std::fma(series, f, 0.333333313f);
    series = std::fma(series, f, -0.5f);
    const float log_m = std::fma(series * f, f, f);
    return -2 * std::fma(e, log2_high, std::fma(e, log2_low, log_m));
}

/// Cosine and sine of an angle uniform on the circle, times `radius`: r quarter turns, |r| <= 1/2, by Taylor series,
/// then turned by the quadrant of the upper two bits.
inline FloatPair turned(float radius, std::uint32_t bits) {
    const float r = static_cast<float>(static_cast<std::int32_t>(bits << 2)) * 0x1p-32f;
    const float x = r * 1.57079633f, w = x * x;
    float sine = std::fma(w, 1.0f / 362880, -1.0f / 5040);
    sine = std::fma(sine, w, 1.0f / 120);
    sine = std::fma(sine, w, -1.0f / 6);
    sine = std::fma(sine * w, x, x);
    float cosine = std::fma(w, 1.0f / 40320, -1.0f / 720);
    cosine = std::fma(cosine, w, 1.0f / 24);
    cosine = std::fma(cosine, w, -1.0f / 2);
    cosine = std::fma(cosine, w, 1.0f);
    const std::uint32_t q = bits >> 30, odd = 0 - (q & 1);
    const auto c = std::bit_cast<std::uint32_t>(radius * cosine), t = std::bit_cast<std::uint32_t>(radius * sine);
    return {std::bit_cast<float>(((c & ~odd) | (t & odd)) ^ (((q + 1) & 2) << 30)),
            std::bit_cast<float>(((t & ~odd) | (c & odd)) ^ ((q & 2) << 30))};
}

} // namespace pearlite::simd
