#pragma once
/// Exponentials and logarithms of packets, by polynomials with explicit fused multiply-adds: the same bits in every
/// lane and for every instruction set.

#include "simd/arithmetic.hpp"

#include <array>
#include <numbers>

namespace pearlite::simd {

/// coefficients[0] + coefficients[1] x + ...
template <class P, std::size_t n>
[[gnu::always_inline]] inline P polynomial(const std::array<Element<P>, n>& coefficients, P x) {
    P sum = broadcast<P>(coefficients[n - 1]);
#pragma GCC unroll 16
    for (std::size_t k = 1; k < n; ++k)
        sum = fused(sum, x, broadcast<P>(coefficients[n - 1 - k]));
    return sum;
}

/// 1/first!, 1/(first+1)!, ..., 1/last!
template <class Real, int first, int last>
constexpr auto inverse_factorials() {
    std::array<Real, last - first + 1> values{};
    double factorial = 1;
    for (int k = 0; k <= last; ++k) {
        factorial *= k > 0 ? k : 1;
        if (k >= first)
            values[static_cast<std::size_t>(k - first)] = static_cast<Real>(1 / factorial);
    }
    return values;
}

/// Constants of a floating-point type for the functions below.
template <class Real>
struct Format;
template <>
struct Format<float> {
    static constexpr int mantissa_bits = 23;
    static constexpr float lowest_exponent = -87;          ///< its exponential is a normal number
    static constexpr float round_to_integer = 12582912.0f; ///< 1.5 * 2^23: adding it leaves an integer in the low bits
    static constexpr float ln2_high = 0.693359375f;        ///< few bits: its products with exponents are exact
    static constexpr float ln2_low = -2.12194440e-4f;
    static constexpr int taylor_degree = 7; ///< |r| <= log(2)/2 leaves 5e-9
};
template <>
struct Format<double> {
    static constexpr int mantissa_bits = 52;
    static constexpr double lowest_exponent = -700;
    static constexpr double round_to_integer = 6755399441055744.0; ///< 1.5 * 2^52
    static constexpr double ln2_high = 6.93147180369123816490e-1;
    static constexpr double ln2_low = 1.90821492927058770002e-10;
    static constexpr int taylor_degree = 11; ///< leaves 6e-15
};

namespace detail {

/// exp(x) for numbers that need no cut.
template <class P>
[[gnu::always_inline]] inline P exp_inside(P x) {
    using Real = Element<P>;
    using Of = Format<Real>;
    static constexpr auto taylor = inverse_factorials<Real, 0, Of::taylor_degree>();
    const P shifted = fused(x, broadcast<P>(std::numbers::log2e_v<Real>), broadcast<P>(Of::round_to_integer));
    const P exponent = shifted - Of::round_to_integer;
    P r = fused(exponent, broadcast<P>(-Of::ln2_high), x);
    r = fused(exponent, broadcast<P>(-Of::ln2_low), r);
    return from_bits<P>(bits_of(polynomial(taylor, r)) + (bits_of(shifted) << Of::mantissa_bits));
}

} // namespace detail

/// exp(x) to 1.5e-7 (float, x <= 87) or 1e-14 (double, x <= 700) relative; constant below -87 or -700. NaN stays NaN.
template <class P>
[[gnu::always_inline]] inline P exp(P x) {
    return detail::exp_inside(larger(broadcast<P>(Format<Element<P>>::lowest_exponent), x));
}
/// The same, but NaN gives the smallest value.
template <class P>
[[gnu::always_inline]] inline P exp_or_least(P x) {
    return detail::exp_inside(larger(x, broadcast<P>(Format<Element<P>>::lowest_exponent)));
}

/// log(x) of positive normal doubles, to 2e-16 relative near 1 and elsewhere: x = 2^e m, sqrt(1/2) <= m < sqrt(2),
/// log m = 2 atanh(s), s = (m - 1)/(m + 1), by its series.
[[gnu::always_inline]] inline Doubles log(Doubles x) {
    static constexpr std::array<double, 11> series{2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9, 2.0 / 11,
                                                   2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, exponent_mask = 0xfff0000000000000u,
                            integer_bits = 0x4330000000000000u;
    const Words bits = bits_of(x), above = bits - sqrt_half;
    const Doubles e =
        from_bits<Doubles>(((above + (std::uint64_t{1023} << 52)) >> 52) | integer_bits) - (0x1p52 + 1023);
    const Doubles f = from_bits<Doubles>(bits - (above & exponent_mask)) - 1.0;
    const Doubles s = f / (2.0 + f);
    const Doubles log_m = s * polynomial(series, s * s);
    return fused(e, broadcast<Doubles>(Format<double>::ln2_high),
                 fused(e, broadcast<Doubles>(Format<double>::ln2_low), log_m));
}

/// The same logarithm by the operations of natural_log of simd/scalar.hpp, whose bits it gives.
template <class P>
[[gnu::always_inline]] inline P natural_logs(P x) {
    static constexpr std::array<double, 10> series{2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                                   2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, exponent_mask = 0xfff0000000000000u,
                            integer_bits = 0x4330000000000000u;
    constexpr double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
    const auto bits = bits_of(x), above = bits - sqrt_half;
    const P e = from_bits<P>(((above + (std::uint64_t{1023} << 52)) >> 52) | integer_bits) - (0x1p52 + 1023);
    const P f = from_bits<P>(bits - (above & exponent_mask)) - 1.0;
    const P s = f / (2.0 + f), z = s * s;
    const P log_m = f - s * (f - z * polynomial(series, z));
    return fused(e, broadcast<P>(log2_high), fused(e, broadcast<P>(log2_low), log_m));
}

/// The top 53 bits of each as a uniform on (0, 1): the numbers of uniform53 of simd/scalar.hpp.
template <class P = Doubles, class W>
[[gnu::always_inline]] inline P uniforms(W bits) {
    const W top = bits >> 11;
    const P low = from_bits<P>((top & 0xffffffffu) | 0x4330000000000000u) - 0x1p52;
    const P high = from_bits<P>((top >> 32) | 0x4530000000000000u) - 0x1p84;
    return larger((high + low) * 0x1p-53, broadcast<P>(0x1p-54));
}

/// 2^t of floats, to 2.5e-7 relative, for t cut to [-126, 126]. t = n + r with |r| <= 1/2; NaN gives 2^-126. This and
/// the functions below have minimax polynomials.
template <class P>
[[gnu::always_inline]] inline P exp2(P t) {
    static constexpr std::array series{1.000000075f,   0.6931472254f,   0.2402210737f,
                                       0.05550297298f, 0.009676036358f, 0.001341000515f};
    constexpr float shift = Format<float>::round_to_integer;
    t = smaller(larger(t, broadcast<P>(-126)), broadcast<P>(126));
    const P shifted = t + shift;
    const P r = t - (shifted - shift);
    return from_bits<P>(bits_of(polynomial(series, r)) + (bits_of(shifted) << Format<float>::mantissa_bits));
}

/// log2(x) of positive normal floats, to 1e-7 of itself or absolutely. x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
template <class P>
[[gnu::always_inline]] inline P log2(P x) {
    static constexpr std::array series{1.442694869f,   -0.7213471285f, 0.4809225289f,  -0.3607211953f, 0.2876566747f,
                                       -0.2385194383f, 0.2173793867f,  -0.2103033352f, 0.1254124185f};
    constexpr std::int32_t sqrt_half = 0x3f3504f3;
    const auto bits = same_bits<Mask<P>>(x); // signed: the shift below is arithmetic
    const Mask<P> exponent = (bits - sqrt_half) >> 23;
    const P f = same_bits<P>(bits - (exponent << 23)) - 1;
    return fused(polynomial(series, f), f, converted<P>(exponent));
}

/// log2(1 + x) of floats 0 <= x <= 1e37, or -1 < x < 0, accurate also for small x: the rounding of 1 + x is corrected.
template <class P>
[[gnu::always_inline]] inline P log2_1p(P x) {
    const P sum = x + 1;
    return fused((x - (sum - 1)) / sum, broadcast<P>(std::numbers::log2e_v<float>), log2(sum));
}

} // namespace pearlite::simd
