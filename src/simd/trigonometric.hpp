#pragma once
/// Sines and cosines of packets of doubles, by polynomials with explicit fused multiply-adds: the same bits in every
/// lane and for every instruction set.

#include "simd/elementary.hpp"

namespace pearlite::simd {

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
    return t - ((t + Format<double>::round_to_integer) - Format<double>::round_to_integer);
}

/// sin(pi t), |t| <= 1/2, to 3e-16 (the series ends at t^19).
[[gnu::always_inline]] inline Doubles sine_of_half_turns(Doubles t) {
    static constexpr auto series = half_turn_series<1, 10>();
    return t * polynomial(series, t * t);
}

/// cos(pi t), |t| <= 1/2, to 3e-16 absolute (the series ends at t^20).
[[gnu::always_inline]] inline Doubles cosine_of_half_turns(Doubles t) {
    static constexpr auto series = half_turn_series<0, 11>();
    return polynomial(series, t * t);
}

/// sin(pi t)^2 = (1 - cos(2 pi t)) / 2 for any t; relative precision near integers, where it vanishes.
[[gnu::always_inline]] inline Doubles squared_sine(Doubles t) {
    const Doubles sine = sine_of_half_turns(fraction(t));
    return sine * sine;
}

/// cos(2 pi t) for any t, to 3e-15 absolute.
[[gnu::always_inline]] inline Doubles cosine_of_turns(Doubles t) {
    return 1.0 - 2.0 * squared_sine(t);
}

struct SineCosine {
    Doubles sine, cosine;
};

/// Sine and cosine of an angle in radians, to 3e-15 absolute for angles of a few turns.
[[gnu::always_inline]] inline SineCosine sine_cosine(Doubles angle) {
    const Doubles half = fraction(angle * (0.5 * std::numbers::inv_pi)); // in turns, so half the angle in half turns
    const Doubles sine = sine_of_half_turns(half);
    return {2.0 * sine * cosine_of_half_turns(half), 1.0 - 2.0 * sine * sine};
}

} // namespace pearlite::simd
