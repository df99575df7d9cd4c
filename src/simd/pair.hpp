#pragma once
/// Two packets side by side, on which the arithmetic of packets works as on one of twice as many lanes. Where a loop's
/// chain of operations is long a CPU keeps too few turns in work to be busy; a pair gives it two chains at a time.
/// (Packets of two registers by the compiler would do, if it did not keep them in memory.)

#include "simd/arithmetic.hpp"

#include <algorithm>
#include <array>

namespace pearlite::simd {

template <class V>
struct Pair {
    using Number = Element<V>;
    V low, high;

    Number operator[](Index lane) const { return lane < lanes<V> ? low[lane] : high[lane - lanes<V>]; }

    /// f(low, ...) beside f(high, ...).
    template <class F, class... Others>
    [[gnu::always_inline]] auto with(F f, Others... others) const {
        return Pair<decltype(f(low, others.low...))>{f(low, others.low...), f(high, others.high...)};
    }

    friend Pair operator+(Pair a, Pair b) { return {a.low + b.low, a.high + b.high}; }
    friend Pair operator-(Pair a, Pair b) { return {a.low - b.low, a.high - b.high}; }
    friend Pair operator*(Pair a, Pair b) { return {a.low * b.low, a.high * b.high}; }
    friend Pair operator/(Pair a, Pair b) { return {a.low / b.low, a.high / b.high}; }
    friend Pair operator+(Pair a, Number b) { return {a.low + b, a.high + b}; }
    friend Pair operator-(Pair a, Number b) { return {a.low - b, a.high - b}; }
    friend Pair operator*(Pair a, Number b) { return {a.low * b, a.high * b}; }
    friend Pair operator+(Number a, Pair b) { return {a + b.low, a + b.high}; }
    friend Pair operator-(Number a, Pair b) { return {a - b.low, a - b.high}; }
    friend Pair operator*(Number a, Pair b) { return {a * b.low, a * b.high}; }
    Pair& operator+=(Number b) { return *this = *this + b; }

    friend auto operator<(Pair a, Pair b) {
        return a.with([](V x, V y) { return x < y; }, b);
    }
    friend auto operator>(Pair a, Number b) {
        return a.with([b](V x) { return x > b; });
    }
    friend Pair operator&(Pair a, Pair b) { return {a.low & b.low, a.high & b.high}; }
    friend Pair operator<<(Pair a, int by) { return {a.low << by, a.high << by}; }
    friend Pair operator>>(Pair a, int by) { return {a.low >> by, a.high >> by}; }
    friend Pair operator~(Pair a) { return {~a.low, ~a.high}; }
};

/// Two and four registers of floats.
using FloatsPair = Pair<Floats>;
using FloatsQuad = Pair<FloatsPair>;

namespace detail {

template <class V>
struct Bits<Pair<V>> {
    using Type = Pair<BitsOf<V>>;
};

} // namespace detail

template <class V>
[[gnu::always_inline]] inline Pair<V> fused(Pair<V> a, Pair<V> b, Pair<V> c) {
    return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
}
template <class V>
[[gnu::always_inline]] inline Pair<V> square_root(Pair<V> a) {
    return {square_root(a.low), square_root(a.high)};
}
template <class V>
[[gnu::always_inline]] inline Pair<V> smaller(Pair<V> a, Pair<V> b) {
    return {smaller(a.low, b.low), smaller(a.high, b.high)};
}
template <class V>
[[gnu::always_inline]] inline Pair<V> larger(Pair<V> a, Pair<V> b) {
    return {larger(a.low, b.low), larger(a.high, b.high)};
}
template <class V>
[[gnu::always_inline]] inline bool any(Pair<V> bits) {
    return any(bits.low) || any(bits.high);
}

/// Calls f<Wide>(i), then f<Narrow>(i), for packets that begin at numbers i = 0, ... of n, a multiple of the narrow
/// ones' lanes.
template <class Wide, class Narrow, class F>
[[gnu::always_inline]] inline void in_packets(std::size_t n, F&& f) {
    std::size_t i = 0;
    for (; i + lanes<Wide> <= n; i += lanes<Wide>)
        f.template operator()<Wide>(i);
    for (; i < n; i += lanes<Narrow>)
        f.template operator()<Narrow>(i);
}

/// Pairs of registers as packets of sixteen, of which there are as many as they have on any CPU.
template <class V>
[[gnu::always_inline]] inline auto sixteens(Pair<V> x) {
    if constexpr (requires { x.low.low; }) {
        constexpr std::size_t half = sizeof(V) / sizeof(Floats16);
        std::array<Floats16, 2 * half> all;
        std::ranges::copy(sixteens(x.low), all.begin());
        std::ranges::copy(sixteens(x.high), all.begin() + half);
        return all;
    } else if constexpr (sizeof(V) == sizeof(Floats16)) {
        return std::array<Floats16, 2>{x.low, x.high};
    } else {
        return std::array<Floats16, 1>{
            __builtin_shufflevector(x.low, x.high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
    }
}

} // namespace pearlite::simd
