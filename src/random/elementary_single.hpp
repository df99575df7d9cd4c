#pragma once
/// Logarithm, cosine and sine in single precision, for normal draws by the block: explicit fused multiply-adds and
/// exactly rounded operations only, so a compiler's vector code and its scalar code give the same bits. Polynomials are
/// minimax fits over the ranges stated. Internal to the layer and its tests.

#include <bit>
#include <cmath>
#include <cstdint>

namespace pearlite::random::elementary {

/// The top 31 bits as a uniform on (0, 1]: (k + 1/2) 2^-31 rounded to single precision, never below 2^-32.
inline float uniform31(std::uint32_t bits) {
    return (static_cast<float>(static_cast<std::int32_t>(bits >> 1)) + 0.5f) * 0x1p-31f;
}

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

struct CosineSineSingle {
    float cosine;
    float sine;
};

/// Cosine and sine of a uniform angle, to 1.2e-7: the low 30 bits say where in a quarter of the circle around 0, bit 31
/// reflects it, bit 30 swaps cosine and sine.
inline CosineSineSingle random_direction(std::uint32_t bits) {
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

} // namespace pearlite::random::elementary
