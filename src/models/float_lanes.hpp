#pragma once
/// Sixteen floats at a time, whatever the width of the registers: the same operations in the same order, and so the
/// same bits, with AVX-512, AVX2 or neither. Polynomials are minimax fits, with explicit fused multiply-adds.

#include <array>
#include <cstddef>
#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace pearlite::models::detail {

inline constexpr std::size_t float_lanes = 16;
typedef float Floats __attribute__((vector_size(64), may_alias));
typedef std::int32_t Ints __attribute__((vector_size(64), may_alias));

inline Floats all_lanes(float value) {
    return Floats{} + value;
}
inline Floats load_floats(const float* from) {
    return *reinterpret_cast<const Floats*>(from);
}
inline void store_floats(float* to, Floats values) {
    *reinterpret_cast<Floats*>(to) = values;
}

#if defined(__AVX2__)
/// The operation on the lower and on the upper eight lanes.
template <class Operation, class... Operands>
[[gnu::always_inline]] inline Floats by_halves(Operation operation, const Operands&... operands) {
    Floats result;
    reinterpret_cast<__m256*>(&result)[0] = operation(reinterpret_cast<const __m256*>(&operands)[0]...);
    reinterpret_cast<__m256*>(&result)[1] = operation(reinterpret_cast<const __m256*>(&operands)[1]...);
    return result;
}
#endif

/// a b + c, rounded once. By intrinsics, because what the compiler makes of a loop over lanes depends on its
/// surroundings.
[[gnu::always_inline]] inline Floats fused(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
    return by_halves([](__m256 x, __m256 y, __m256 z) { return _mm256_fmadd_ps(x, y, z); }, a, b, c);
#else
    Floats result{};
    for (std::size_t i = 0; i < float_lanes; ++i)
        result[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return result;
#endif
}
[[gnu::always_inline]] inline Floats square_root(Floats x) {
#if defined(__AVX512F__)
    return _mm512_maskz_sqrt_ps(0xffff, x);
#elif defined(__AVX2__)
    return by_halves([](__m256 y) { return _mm256_sqrt_ps(y); }, x);
#else
    Floats result{};
    for (std::size_t i = 0; i < float_lanes; ++i)
        result[i] = __builtin_sqrtf(x[i]);
    return result;
#endif
}
/// The second if either is NaN, as the instruction of that name has it.
[[gnu::always_inline]] inline Floats smaller(Floats a, Floats b) {
#if defined(__AVX512F__)
    return _mm512_maskz_min_ps(0xffff, a, b);
#elif defined(__AVX2__)
    return by_halves([](__m256 x, __m256 y) { return _mm256_min_ps(x, y); }, a, b);
#else
    return a < b ? a : b;
#endif
}
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
#if defined(__AVX512F__)
    return _mm512_maskz_max_ps(0xffff, a, b);
#elif defined(__AVX2__)
    return by_halves([](__m256 x, __m256 y) { return _mm256_max_ps(x, y); }, a, b);
#else
    return a > b ? a : b;
#endif
}

/// 2^t, to 2.5e-7 relative, for t cut to [-126, 126]. t = n + r with |r| <= 1/2; NaN gives 2^-126.
[[gnu::always_inline]] inline Floats exp2_lanes(Floats t) {
    constexpr float shift = 12582912; // 1.5 2^23: the sum has n in its low bits
    t = smaller(larger(t, all_lanes(-126)), all_lanes(126));
    const Floats shifted = t + shift;
    const Floats r = t - (shifted - shift);
    Floats p = all_lanes(0.001341000515f);
    p = fused(p, r, all_lanes(0.009676036358f));
    p = fused(p, r, all_lanes(0.05550297298f));
    p = fused(p, r, all_lanes(0.2402210737f));
    p = fused(p, r, all_lanes(0.6931472254f));
    p = fused(p, r, all_lanes(1.000000075f));
    return reinterpret_cast<Floats>(reinterpret_cast<Ints>(p) + (reinterpret_cast<Ints>(shifted) << 23));
}

/// log2(x) of positive normal numbers, to 1e-7 of itself or absolutely. x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
[[gnu::always_inline]] inline Floats log2_lanes(Floats x) {
    constexpr std::int32_t sqrt_half = 0x3f3504f3;
    const Ints bits = reinterpret_cast<Ints>(x);
    const Ints exponent = (bits - sqrt_half) >> 23;
    const Floats f = reinterpret_cast<Floats>(bits - (exponent << 23)) - 1;
    Floats p = all_lanes(0.1254124185f);
    p = fused(p, f, all_lanes(-0.2103033352f));
    p = fused(p, f, all_lanes(0.2173793867f));
    p = fused(p, f, all_lanes(-0.2385194383f));
    p = fused(p, f, all_lanes(0.2876566747f));
    p = fused(p, f, all_lanes(-0.3607211953f));
    p = fused(p, f, all_lanes(0.4809225289f));
    p = fused(p, f, all_lanes(-0.7213471285f));
    p = fused(p, f, all_lanes(1.442694869f));
    return fused(p, f, __builtin_convertvector(exponent, Floats));
}

/// log2(1 + x) of 0 <= x <= 1e37, or -1 < x < 0, accurate also for small x: with what 1 + x lost by rounding.
[[gnu::always_inline]] inline Floats log2_1p_lanes(Floats x) {
    constexpr float log2_e_single = 1.44269504f;
    const Floats sum = x + 1;
    return fused((x - (sum - 1)) / sum, all_lanes(log2_e_single), log2_lanes(sum));
}

/// The sum in a fixed order.
inline double sum_of_lanes(Floats x) {
    double sum = 0;
    for (std::size_t i = 0; i < float_lanes; ++i)
        sum += static_cast<double>(x[i]);
    return sum;
}
inline float largest_lane(Floats x) {
    float largest = x[0];
    for (std::size_t i = 1; i < float_lanes; ++i)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

} // namespace pearlite::models::detail
