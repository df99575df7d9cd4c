#pragma once
/// Sines and cosines of doubles, a vector register at a time, by polynomials with explicit fused multiply-adds: the
/// same bits in every lane and for every instruction set.

#include "rbm_lanes.hpp"

#include <array>
#include <immintrin.h>
#include <numbers>

namespace pearlite::models::detail {

using Doubles = DoubleLanes::Packet;

// By intrinsics: what the compiler makes of loops over lanes depends on where they are inlined.
#ifdef __AVX512F__
/// a b + c, rounded once.
inline Doubles fused(Doubles a, Doubles b, Doubles c) {
    return _mm512_fmadd_pd(a, b, c);
}
inline Doubles square_root(Doubles x) {
    return _mm512_maskz_sqrt_pd(0xFF, x);
}
#else
inline Doubles fused(Doubles a, Doubles b, Doubles c) {
    return _mm256_fmadd_pd(a, b, c);
}
inline Doubles square_root(Doubles x) {
    return _mm256_sqrt_pd(x);
}
#endif

/// series[0] + series[1] x + ...
template <std::size_t n>
[[gnu::always_inline]] inline Doubles series_at(const std::array<double, n>& series, Doubles x) {
    Doubles sum = Doubles{} + series[n - 1];
#pragma GCC unroll 16
    for (std::size_t k = 1; k < n; ++k)
        sum = fused(sum, x, Doubles{} + series[n - 1 - k]);
    return sum;
}

/// Coefficients of sin(pi t) / t (first = 1) or cos(pi t) (first = 0) in powers of t^2.
template <int first, std::size_t terms>
constexpr std::array<double, terms> half_turn_series() {
    std::array<double, terms> series{};
    long double term = 1;
    for (int k = 1; k <= first; ++k)
        term *= std::numbers::pi_v<long double> / k;
    for (std::size_t k = 0; k < terms; ++k) {
        series[k] = static_cast<double>(term);
        const int n = first + 2 * static_cast<int>(k);
        term *= -std::numbers::pi_v<long double> * std::numbers::pi_v<long double> / ((n + 1) * (n + 2));
    }
    return series;
}

/// t minus the nearest integer, exactly; |t| < 2^51.
[[gnu::always_inline]] inline Doubles fraction(Doubles t) {
    return t - ((t + DoubleLanes::round_to_integer) - DoubleLanes::round_to_integer);
}

/// sin(pi t), |t| <= 1/2, to 3e-16 (the series ends at t^19).
[[gnu::always_inline]] inline Doubles sine_of_half_turns(Doubles t) {
    static constexpr auto series = half_turn_series<1, 10>();
    return t * series_at(series, t * t);
}

/// cos(pi t), |t| <= 1/2, to 3e-16 absolute (the series ends at t^20).
[[gnu::always_inline]] inline Doubles cosine_of_half_turns(Doubles t) {
    static constexpr auto series = half_turn_series<0, 11>();
    return series_at(series, t * t);
}

/// sin(pi t)^2 = (1 - cos(2 pi t)) / 2 for any t; relative precision near integers, where it vanishes.
[[gnu::always_inline]] inline Doubles squared_sine(Doubles t) {
    const Doubles sine = sine_of_half_turns(fraction(t));
    return sine * sine;
}

/// cos(2 pi t) for any t.
[[gnu::always_inline]] inline Doubles cosine_of_turns(Doubles t) {
    return 1.0 - 2.0 * squared_sine(t);
}

struct SineCosine {
    Doubles sine, cosine;
};

/// Of an angle in radians, to 1e-15 absolute for angles of a few turns.
[[gnu::always_inline]] inline SineCosine sine_cosine(Doubles angle) {
    const Doubles half = fraction(angle * (0.5 * std::numbers::inv_pi)); // in turns, so half the angle in half turns
    const Doubles sine = sine_of_half_turns(half);
    return {2.0 * sine * cosine_of_half_turns(half), 1.0 - 2.0 * sine * sine};
}

} // namespace pearlite::models::detail
