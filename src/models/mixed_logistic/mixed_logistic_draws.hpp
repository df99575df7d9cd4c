#pragma once
/// Samples of the standard proposal of a mixed logistic regression, in fours. Internal to the layer.

#include "models/mixed_logistic/mixed_logistic.hpp"
#include "models/mixed_logistic/mixed_logistic_lanes.hpp"
#include "simd/trigonometric.hpp"

namespace pearlite::models::detail {

/// Degrees of freedom of the proposal: with four, neither a uniform's quantile nor a density needs more than roots.
inline constexpr double proposal_df = 4;

inline constexpr Index words_per_uniform = 2 * SubjectGroups::width;

/// Four points of the standard proposal, and 1 + |x|^2/4 of each.
template <int q>
struct Four {
    std::array<Effects<q>, 4> x;
    Doubles spread[4];
};

/// Uniform k of a four.
inline Doubles uniform_at(const std::uint32_t* words, Index k) {
    return simd::uniforms(simd::load_words<simd::Words>(words + k * words_per_uniform));
}
/// 1 - u, also below 1.
inline Doubles opposite(Doubles u) {
    return smaller(1.0 - u, broadcast<Doubles>(1 - 0x1p-53));
}

/// A direction in each plane, with the length that it has in the first and third point of a four and that of the two
/// others: the one is long where the other is short.
template <int planes>
struct Directions {
    Doubles cosine[planes], sine[planes];
    Doubles length[planes][2];
};

/// In one plane, |x|^2 = 4 (u^(-1/2) - 1) has the distribution of the bivariate t (Bailey 1994). As all quarter turns
/// are taken, an angle in the first quarter serves.
inline void draw(const std::uint32_t* words, Directions<1>& to) {
    const auto length = [](Doubles u) { return 2.0 * square_root(1.0 / square_root(u) - 1.0); };
    const Doubles u = uniform_at(words, 0), half_angle = 0.5 * uniform_at(words, 1);
    to = {{simd::cosine_of_half_turns(half_angle)},
          {simd::sine_of_half_turns(half_angle)},
          {{length(u), length(opposite(u))}}};
}

/// Normals over the root of a chi-square of four degrees by its degrees.
inline void draw(const std::uint32_t* words, Directions<2>& to) {
    const auto mean_square = [](Doubles u, Doubles v) { return -0.5 * (log(u) + log(v)); };
    const Doubles u = uniform_at(words, 0), v = uniform_at(words, 1);
    const Doubles here = mean_square(u, v), there = mean_square(opposite(u), opposite(v));
    for (int plane = 0; plane < 2; ++plane) {
        const Doubles square = -2.0 * log(uniform_at(words, 2 + 2 * plane));
        const Doubles half = uniform_at(words, 3 + 2 * plane) - 0.5, sine = simd::sine_of_half_turns(half);
        to.cosine[plane] = 1.0 - 2.0 * sine * sine;
        to.sine[plane] = 2.0 * sine * simd::cosine_of_half_turns(half);
        to.length[plane][0] = square_root(square / here);
        to.length[plane][1] = square_root(square / there);
    }
}

template <int q>
Four<q> draw_four(const std::uint32_t* words) {
    Directions<(q + 1) / 2> planes;
    draw(words, planes);
    Four<q> four;
    for (std::size_t turn = 0; turn < 4; ++turn) {
        for (std::size_t k = 0; k < q; ++k) {
            const Doubles direction = (k + turn) % 2 == 0 ? planes.cosine[k / 2] : planes.sine[k / 2];
            const Doubles x = planes.length[k / 2][turn % 2] * direction;
            // Turned: (c, s), (-s, c), (-c, -s), (s, -c).
            const bool negative = k % 2 == 0 ? turn == 1 || turn == 2 : turn >= 2;
            four.x[turn][k] = negative ? -x : x;
        }
        const Doubles square = inner_product<q>(four.x[turn], four.x[turn]);
        four.spread[turn] = fused(square, broadcast<Doubles>(1 / proposal_df), broadcast<Doubles>(1));
    }
    return four;
}

} // namespace pearlite::models::detail
