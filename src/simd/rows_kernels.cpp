#include "simd/rows.hpp"

#include <algorithm>
#include <array>

namespace pearlite::simd {

namespace {

/// Each lane from that place of the two packets, a's lanes and then b's.
[[gnu::always_inline]] inline Doubles8 shuffled(Doubles8 a, Doubles8 b, Mask<Doubles8> place) {
#if defined(__clang__)
    Doubles8 result{};
    for (Index l = 0; l < lane_padding; ++l)
        result[l] = place[l] < lane_padding ? a[place[l]] : b[place[l] - lane_padding];
    return result;
#else
    return __builtin_shuffle(a, b, place);
#endif
}

/// From four packets at most, by shuffles of two; `is_two` if there are no more.
template <bool is_two>
void merge_few(ConstRows from, std::span<const Index> source, Rows to, Index n_rows) {
    // A packet that is not there is the last one again.
    const Index last = from.stride - lane_padding, second = std::min(lane_padding, last);
    const Index third = std::min(2 * lane_padding, last), fourth = last;
    for (Index first = 0; first < to.stride; first += lane_padding) {
        Mask<Doubles8> place{}, taken{}, is_high{};
        for (Index l = 0; l < lane_padding; ++l) {
            const Index i = source[static_cast<std::size_t>(first + l)];
            place[l] = std::max<Index>(i, 0);
            taken[l] = i >= 0 ? -1 : 0;
            is_high[l] = i >= 2 * lane_padding ? -1 : 0;
        }
        for (Index k = 0; k < n_rows; ++k) {
            // A shuffle looks at a place among the two packets alone.
            Doubles8 found = shuffled(from.at(k, 0), from.at(k, second), place);
            if constexpr (!is_two) {
                const Doubles8 high = shuffled(from.at(k, third), from.at(k, fourth), place);
                found = is_high ? high : found;
            }
            to.at(k, first) = taken ? found : to.at(k, first);
        }
    }
}

constexpr Index places_at_once = 64;

/// Columns of `to` from `first`, at most places_at_once: row by row at the places that change.
void merge_by_places(ConstRows from, std::span<const Index> source, Rows to, Index first, Index n_rows) {
    struct Place {
        Index from, to;
    };
    std::array<Place, places_at_once> places;
    std::size_t n = 0;
    const Index end = std::min(first + places_at_once, static_cast<Index>(source.size()));
    for (Index i = first; i < end; ++i) { // without branches: sources are random
        places[n] = {source[static_cast<std::size_t>(i)], i};
        n += source[static_cast<std::size_t>(i)] >= 0 ? 1 : 0;
    }
    for (Index k = 0; k < n_rows; ++k) {
        const double* const row = from.data + k * from.stride;
        double* const out = to.data + k * to.stride;
        for (std::size_t p = 0; p < n; ++p)
            out[places[p].to] = row[places[p].from];
    }
}

} // namespace

template <class>
void merge_columns(ConstRows from, std::span<const Index> source, Rows to, Index n_rows) {
    if (from.stride == 0)
        return;
    if constexpr (register_bytes == sizeof(Doubles8)) { // shuffles of several registers are slow
        if (from.stride <= 2 * lane_padding)
            return merge_few<true>(from, source, to, n_rows);
        if (from.stride <= 4 * lane_padding)
            return merge_few<false>(from, source, to, n_rows);
    }
    for (Index first = 0; first < static_cast<Index>(source.size()); first += places_at_once)
        merge_by_places(from, source, to, first, n_rows);
}

template void merge_columns<Compiled>(ConstRows from, std::span<const Index> source, Rows to, Index n_rows);

} // namespace pearlite::simd
