#pragma once
/// Functions of the units of one chain, a vector register at a time. A column is always processed in whole packets and
/// its sums are taken lane by lane in a fixed order, so results do not depend on anything outside the column.

#include "pearlite/core/types.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace pearlite::models::detail {

#ifdef __AVX512F__
inline constexpr Index packet_bytes = 64;
#else
inline constexpr Index packet_bytes = 32;
#endif

/// What the elementary functions below need to know of a floating-point type.
struct FloatLanes {
    using Real = float;
    typedef float Packet __attribute__((vector_size(packet_bytes), may_alias));
    typedef std::uint32_t Bits __attribute__((vector_size(packet_bytes), may_alias));
    static constexpr Index size = packet_bytes / 4;
    static constexpr std::uint32_t sign_bit = 0x80000000u;
    static constexpr int mantissa_bits = 23;
    static constexpr float lowest_exponent = -87;          ///< its exponential is a normal number
    static constexpr float round_to_integer = 12582912.0f; ///< 1.5 * 2^23: adding it leaves an integer in the low bits
    static constexpr float log2_e = 1.44269504f;
    static constexpr float ln2_high = 0.693359375f; ///< few bits: its products with exponents are exact
    static constexpr float ln2_low = -2.12194440e-4f;
    static constexpr int taylor_degree = 7; ///< |r| <= log(2)/2 leaves 5e-9
    static float fused_multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
};

struct DoubleLanes {
    using Real = double;
    typedef double Packet __attribute__((vector_size(packet_bytes), may_alias));
    typedef std::uint64_t Bits __attribute__((vector_size(packet_bytes), may_alias));
    static constexpr Index size = packet_bytes / 8;
    static constexpr std::uint64_t sign_bit = 0x8000000000000000u;
    static constexpr int mantissa_bits = 52;
    static constexpr double lowest_exponent = -700;
    static constexpr double round_to_integer = 6755399441055744.0; ///< 1.5 * 2^52
    static constexpr double log2_e = 1.4426950408889634;
    static constexpr double ln2_high = 6.93147180369123816490e-1;
    static constexpr double ln2_low = 1.90821492927058770002e-10;
    static constexpr int taylor_degree = 11; ///< leaves 6e-15
    static double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

template <class Lanes>
const typename Lanes::Packet& load(const typename Lanes::Real* address) {
    return *reinterpret_cast<const typename Lanes::Packet*>(address);
}

template <class Lanes>
typename Lanes::Packet& packet_at(typename Lanes::Real* address) {
    return *reinterpret_cast<typename Lanes::Packet*>(address);
}

template <class Lanes>
typename Lanes::Packet fused_multiply_add(typename Lanes::Packet a, typename Lanes::Packet b,
                                          typename Lanes::Packet c) {
    typename Lanes::Packet result{};
    for (Index lane = 0; lane < Lanes::size; ++lane)
        result[lane] = Lanes::fused_multiply_add(a[lane], b[lane], c[lane]);
    return result;
}

template <class Lanes>
typename Lanes::Packet absolute(typename Lanes::Packet x) {
    return reinterpret_cast<typename Lanes::Packet>(reinterpret_cast<typename Lanes::Bits>(x) & ~Lanes::sign_bit);
}

/// coefficients[0] + coefficients[1] x + ...
template <class Lanes, std::size_t n>
[[gnu::always_inline]] inline typename Lanes::Packet polynomial(const std::array<typename Lanes::Real, n>& coefficients,
                                                                typename Lanes::Packet x) {
    const typename Lanes::Packet zero{};
    typename Lanes::Packet sum = zero + coefficients[n - 1];
    [&]<std::size_t... k>(std::index_sequence<k...>) {
        ((sum = fused_multiply_add<Lanes>(sum, x, zero + coefficients[n - 2 - k])), ...);
    }
    (std::make_index_sequence<n - 1>{});
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

/// exp(x) for x <= 0, to 1.5e-7 (float) or 1e-14 (double) relative; constant below lowest_exponent.
template <class Lanes>
[[gnu::always_inline]] inline typename Lanes::Packet exp_of_negative(typename Lanes::Packet x) {
    using Packet = typename Lanes::Packet;
    using Bits = typename Lanes::Bits;
    static constexpr auto taylor = inverse_factorials<typename Lanes::Real, 0, Lanes::taylor_degree>();
    const Packet zero{};
    x = x < Lanes::lowest_exponent ? zero + Lanes::lowest_exponent : x;
    const Packet shifted = fused_multiply_add<Lanes>(x, zero + Lanes::log2_e, zero + Lanes::round_to_integer);
    const Packet exponent = shifted - Lanes::round_to_integer;
    Packet r = fused_multiply_add<Lanes>(exponent, zero - Lanes::ln2_high, x);
    r = fused_multiply_add<Lanes>(exponent, zero - Lanes::ln2_low, r);
    const Packet mantissa = polynomial<Lanes>(taylor, r);
    const Bits scaled = reinterpret_cast<Bits>(mantissa) + (reinterpret_cast<Bits>(shifted) << Lanes::mantissa_bits);
    return reinterpret_cast<Packet>(scaled);
}

template <class Lanes>
double sum_of(typename Lanes::Packet x) {
    double sum = 0;
    for (Index lane = 0; lane < Lanes::size; ++lane)
        sum += static_cast<double>(x[lane]);
    return sum;
}

template <class Lanes>
double product_of(typename Lanes::Packet x) {
    double product = 1;
    for (Index lane = 0; lane < Lanes::size; ++lane)
        product *= static_cast<double>(x[lane]);
    return product;
}

} // namespace pearlite::models::detail
