#pragma once
/// Packets: some numbers of one type, a lane each, on which arithmetic works lane by lane (+, -, *, /, comparisons and
/// ?: are the compiler's). Floats and Doubles are as wide as a register of the CPU; packets with a number in their name
/// have that many lanes on every CPU.

#include "pearlite/core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pearlite::simd {

#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#else
inline constexpr std::size_t register_bytes = 32;
#endif

using Floats = float __attribute__((vector_size(register_bytes)));
using Doubles = double __attribute__((vector_size(register_bytes)));
using Words = std::uint64_t __attribute__((vector_size(register_bytes)));
using Floats16 = float __attribute__((vector_size(64)));
using Floats8 = float __attribute__((vector_size(32)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));
using Doubles8 = double __attribute__((vector_size(64)));
using Words8 = std::uint64_t __attribute__((vector_size(64)));

/// The type of a packet's numbers.
template <class P>
using Element = std::remove_cvref_t<decltype(std::declval<P&>()[0])>;
/// How many numbers a packet has.
template <class P>
inline constexpr Index lanes = sizeof(P) / sizeof(Element<P>);
/// The result of a comparison: signed integers as wide as the numbers, all bits of a lane or none.
template <class P>
using Mask = decltype(std::declval<P>() < std::declval<P>());

namespace detail {

// g++ ignores attributes of dependent types in alias declarations. NOLINTBEGIN(modernize-use-using)
template <class T, std::size_t bytes>
struct PacketOf {
    typedef T Type __attribute__((vector_size(bytes)));
};
/// A packet in memory that is declared as an array of numbers.
template <class P>
struct InMemory {
    typedef P Aligned __attribute__((may_alias));
    typedef P Anywhere __attribute__((may_alias, aligned(1)));
};
// NOLINTEND(modernize-use-using)

template <class P>
struct Bits {
    using Type =
        typename PacketOf<std::conditional_t<sizeof(Element<P>) == 4, std::uint32_t, std::uint64_t>, sizeof(P)>::Type;
};

} // namespace detail

/// A register full of numbers of type T.
template <class T>
using Register = typename detail::PacketOf<T, register_bytes>::Type;
/// Unsigned integers as wide as the numbers of a packet.
template <class P>
using BitsOf = typename detail::Bits<P>::Type;

/// The same bits as a packet of another type (of two packets side by side: simd/pair.hpp).
template <class To, class From>
[[gnu::always_inline]] inline To same_bits(From x) {
    if constexpr (requires { x.low; })
        return {same_bits<decltype(To::low)>(x.low), same_bits<decltype(To::high)>(x.high)};
    else
        return reinterpret_cast<To>(x);
}
template <class P>
[[gnu::always_inline]] inline BitsOf<P> bits_of(P x) {
    return same_bits<BitsOf<P>>(x);
}
template <class P>
[[gnu::always_inline]] inline P from_bits(BitsOf<P> bits) {
    return same_bits<P>(bits);
}
/// Integers as numbers of another type.
template <class To, class From>
[[gnu::always_inline]] inline To converted(From x) {
    if constexpr (requires { x.low; })
        return {converted<decltype(To::low)>(x.low), converted<decltype(To::high)>(x.high)};
    else
        return __builtin_convertvector(x, To);
}
/// a where the mask's bits are set, b elsewhere.
template <class M, class P>
[[gnu::always_inline]] inline P chosen(M mask, P a, P b) {
    if constexpr (requires { a.low; })
        return {chosen(mask.low, a.low, b.low), chosen(mask.high, a.high, b.high)};
    else
        return mask ? a : b;
}

/// The value in every lane. (Less nothing, which keeps also the sign of a zero, and is no instruction.)
template <class P>
[[gnu::always_inline]] inline P broadcast(Element<P> value) {
    return value - P{};
}

/// The packet that starts at an address aligned to its size.
template <class P>
[[gnu::always_inline]] inline P load(const Element<P>* address) {
    if constexpr (requires(P x) { x.low; }) {
        using V = decltype(P::low);
        return {load<V>(address), load<V>(address + lanes<V>)};
    } else {
        return *reinterpret_cast<const typename detail::InMemory<P>::Aligned*>(address);
    }
}
template <class P>
[[gnu::always_inline]] inline auto& at(Element<P>* address) {
    return *reinterpret_cast<typename detail::InMemory<P>::Aligned*>(address);
}
template <class P>
[[gnu::always_inline]] inline void store(Element<P>* address, P values) {
    if constexpr (requires { values.low; }) {
        store(address, values.low);
        store(address + lanes<decltype(values.low)>, values.high);
    } else {
        at<P>(address) = values;
    }
}
/// Numbers of 64 bits in pairs of words, the low word first, from an address aligned to the packet's size.
template <class P>
[[gnu::always_inline]] inline P load_words(const std::uint32_t* address) {
    return *reinterpret_cast<const typename detail::InMemory<P>::Aligned*>(address);
}
/// At any address.
template <class P>
[[gnu::always_inline]] inline P load_anywhere(const Element<P>* address) {
    return *reinterpret_cast<const typename detail::InMemory<P>::Anywhere*>(address);
}
template <class P>
[[gnu::always_inline]] inline void store_anywhere(Element<P>* address, P values) {
    *reinterpret_cast<typename detail::InMemory<P>::Anywhere*>(address) = values;
}

} // namespace pearlite::simd
