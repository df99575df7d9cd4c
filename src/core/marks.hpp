#pragma once
/// Marks of chains, a byte each: 0 or 1, with zeros as padding up to lane_padded(n). Loops look at eight at a time.

#include "pearlite/core/detail/lane_padding.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace pearlite {

inline std::uint64_t marks_at(const std::uint8_t* first) {
    std::uint64_t word = 0;
    static_assert(sizeof word == lane_padding);
    std::memcpy(&word, first, sizeof word);
    return word;
}

/// Calls body(i) for each of n chains that is marked; fast where few are. Returns their number.
template <class Body>
std::int64_t for_each_marked(const std::uint8_t* marks, std::size_t n, Body body) {
    std::int64_t count = 0;
    for (std::size_t first = 0; first < n; first += lane_padding)
        for (std::uint64_t word = marks_at(marks + first); word != 0; word &= word - 1, ++count)
            body(first + static_cast<std::size_t>(std::countr_zero(word)) / 8);
    return count;
}

inline std::int64_t count_marked(const std::uint8_t* marks, std::size_t n) {
    std::int64_t count = 0;
    for (std::size_t first = 0; first < n; first += lane_padding)
        count += std::popcount(marks_at(marks + first));
    return count;
}

} // namespace pearlite
