#pragma once
/// A choice without a branch, for loops over chains, in which it is random which of two values is wanted: a compiler
/// makes a branch of `?:`, and the CPU guesses it wrongly every other time.

#include <bit>
#include <concepts>
#include <cstdint>

namespace pearlite {

inline double select(bool is_first, double first, double second) {
    const std::uint64_t mask = -static_cast<std::uint64_t>(is_first);
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(first) & mask) |
                                 (std::bit_cast<std::uint64_t>(second) & ~mask));
}

template <std::integral T>
T select(bool is_first, T first, T second) {
    const T mask = static_cast<T>(-static_cast<T>(is_first));
    return static_cast<T>((first & mask) | (second & static_cast<T>(~mask)));
}

} // namespace pearlite
