#pragma once
/// Uniform numbers of 64 bits compared with thresholds, a bit plane of all chains at a time, most significant first.

#include "simd/bit_plane.hpp"

namespace pearlite::simd::bit_plane {

/// Planes that every visit draws: with 12, a chain of the whole block is still undecided at one visit in ten.
inline constexpr int leading_planes = 12;
inline constexpr int all_planes = 64;

/// The bits of the n thresholds between which a site's chains are divided, most significant first.
template <std::size_t n>
struct Thresholds {
    std::array<std::uint64_t, n> values; ///< 64-bit fixed-point numbers
    std::array<std::array<Bits, n>, leading_planes> leading;

    explicit Thresholds(const std::array<std::uint64_t, n>& v) : values(v) {
        for (int k = 0; k < leading_planes; ++k)
            leading[static_cast<std::size_t>(k)] = planes(k);
    }
    std::array<Bits, n> planes(int k) const {
        std::array<Bits, n> result;
        for (std::size_t i = 0; i < n; ++i)
            result[i] = threshold_plane(values[i], k);
        return result;
    }
};

/// The chains whose uniform number is below their threshold, and those for which the planes so far are all equal to it.
struct Comparison {
    Bits below, undecided;
};

/// Compares by the leading planes. rule.chosen(planes of the thresholds) gives each chain's own planes.
/// `words` holds the planes of one visit; between() is called once for each.
template <class R, std::size_t n, class Between>
inline Comparison compare_leading(const R& rule, const Thresholds<n>& thresholds, Bits random,
                                  const std::uint32_t* words, std::size_t part, Between&& between) {
    Comparison result{Bits{}, random};
#pragma GCC unroll 12
    for (int plane = leading_planes - 1; plane >= 0; --plane) { // the first plane that differs has the last word
        const auto k = static_cast<std::size_t>(plane);
        const Bits u = load(words + k * words_per_plane, part);
        const Bits t = rule.chosen(thresholds.leading[k]);
        const Bits differs = t ^ u;
        result.below = choose(differs, t, result.below);
        result.undecided &= ~differs;
        between();
    }
    return result;
}

/// Decides the chains left undecided by the leading planes: returns those below their threshold. draw(word, out)
/// makes four planes from that word of their stream on, of which visit v has planes 64 v .. 64 v + 63: four are nearly
/// always enough, and a whole vector of the generator's counters.
template <class R, std::size_t n, class Draw>
[[gnu::noinline]] Bits compare_rest(const R& rule, const Thresholds<n>& thresholds, Bits undecided, const Draw& draw,
                                    Index visit, std::size_t part) {
    constexpr int planes_per_draw = 4;
    alignas(64) std::array<std::uint32_t, planes_per_draw * words_per_plane> words;
    Bits below{};
    for (int k = leading_planes; k < all_planes && any(undecided); k += planes_per_draw) {
        draw((visit * all_planes + k) * static_cast<Index>(words_per_plane), std::span<std::uint32_t>(words));
        for (int i = 0; i < planes_per_draw; ++i) {
            const Bits u = load(words.data() + static_cast<std::size_t>(i) * words_per_plane, part);
            const Bits t = rule.chosen(thresholds.planes(k + i));
            below |= undecided & t & ~u;
            undecided &= ~(t ^ u);
        }
    }
    return below;
}

} // namespace pearlite::simd::bit_plane
