#include "mixed_logistic_kernels.hpp"
#include "mixed_logistic_lanes.hpp"

#include "pearlite/core/contract.hpp"

#include <cmath>

namespace pearlite::models::detail {

namespace {

static_assert(subjects_abreast == SubjectGroups::width);

/// Degrees of freedom of the proposal: with four, neither a uniform's quantile nor a density needs more than roots.
constexpr double proposal_df = 4;

/// Width of the proposal in units of the integrand's: about the best for a normal density as well as for the posteriors
/// of subjects with few responses.
constexpr double proposal_width = 0.7;

constexpr Index words_per_uniform = 2 * SubjectGroups::width;

/// Four points of the standard proposal, and 1 + |x|^2/4 of each.
template <int q>
struct Four {
    std::array<Effects<q>, 4> x;
    Doubles spread[4];
};

/// Uniform k of a four.
inline Doubles uniform_at(const std::uint32_t* words, Index k) {
    return uniforms(*reinterpret_cast<const DoubleBits*>(words + k * words_per_uniform));
}
/// 1 - u, also below 1.
inline Doubles opposite(Doubles u) {
    return minimum(1.0 - u, all_lanes(1 - 0x1p-53));
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
    to = {{cosine_of_half_turns(half_angle)}, {sine_of_half_turns(half_angle)}, {{length(u), length(opposite(u))}}};
}

/// Normals over the root of a chi-square of four degrees by its degrees.
inline void draw(const std::uint32_t* words, Directions<2>& to) {
    const auto mean_square = [](Doubles u, Doubles v) { return -0.5 * (logarithm(u) + logarithm(v)); };
    const Doubles u = uniform_at(words, 0), v = uniform_at(words, 1);
    const Doubles here = mean_square(u, v), there = mean_square(opposite(u), opposite(v));
    for (int plane = 0; plane < 2; ++plane) {
        const Doubles square = -2.0 * logarithm(uniform_at(words, 2 + 2 * plane));
        const Doubles half = uniform_at(words, 3 + 2 * plane) - 0.5, sine = sine_of_half_turns(half);
        to.cosine[plane] = 1.0 - 2.0 * sine * sine;
        to.sine[plane] = 2.0 * sine * cosine_of_half_turns(half);
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
        four.spread[turn] = fused(square, all_lanes(1 / proposal_df), all_lanes(1));
    }
    return four;
}

/// spread^((4 + q)/2): what the proposal's density is divided by.
template <int q>
Doubles inverse_density(Doubles spread) {
    Doubles power = spread * spread;
    if constexpr (q >= 2)
        power *= spread;
    if constexpr (q >= 4)
        power *= spread;
    if constexpr (q % 2 == 1)
        power *= square_root(spread);
    return power;
}

/// A sum of weights as a multiple of exp(log_unit), f's height at the peak. Should the search have missed the peak by
/// far, the unit grows.
struct WeightSum {
    Doubles total{}, log_unit;

    [[gnu::always_inline]] void add(const LogisticProduct& likelihood, Doubles half_square, Doubles factor) {
        Doubles excess = likelihood.sum - half_square - log_unit;
        const LaneMask above = excess > largest_excess;
        if (any(above)) {
            total = above ? total * exponential(above ? -excess : Doubles{}) : total;
            log_unit = above ? log_unit + excess : log_unit;
            excess = above ? Doubles{} : excess;
        }
        total += exponential(excess) * factor / likelihood.product;
    }
};

template <int q>
void add_four(const SubjectRows<q>& rows, const Peak<q>& peak, const Four<q>& four, WeightSum& sum) {
    std::array<Effects<q>, 4> v;
    for (std::size_t i = 0; i < 4; ++i) {
        v[i] = solve_upper<q>(peak.root, four.x[i]);
        for (std::size_t k = 0; k < q; ++k)
            v[i][k] += peak.mode[k];
    }
    std::array<LogisticProduct, 4> likelihood;
    for (Index row = 0; row < rows.n; ++row) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) {
            const Doubles t = predictor(rows, row, v[i]);
            likelihood[i].multiply(t, exponential(minus_absolute(t)));
        }
        if ((row & 511) == 511)
            for (auto& each : likelihood)
                each.fold();
    }
    for (std::size_t i = 0; i < 4; ++i)
        sum.add(likelihood[i], 0.5 * inner_product<q>(v[i], v[i]), inverse_density<q>(four.spread[i]));
}

/// The estimate is exp(log_unit) total / N times (2 pi)^(-q/2) over the constant of the proposal's density,
/// Gamma((4+q)/2) (4 pi)^(-q/2) |root|.
template <int q>
Doubles log_mean(const WeightSum& sum, const Peak<q>& peak, Index n_fours) {
    const double log_constant = 0.5 * q * std::log(proposal_df / 2) - std::lgamma((proposal_df + q) / 2) -
                                std::log(4 * static_cast<double>(n_fours));
    Doubles determinant = all_lanes(1);
    for (std::size_t k = 0; k < q; ++k)
        determinant *= peak.root[k][k];
    const Doubles positive = maximum(sum.total, all_lanes(1e-300));
    return sum.log_unit + (logarithm(positive) - logarithm(determinant) + log_constant);
}

/// The width of f along axis k of the peak's coordinates, in units of what its curvature says, on the side where it is
/// wider: by how far it has fallen three of these units away. Deviations of 20 and more make f a normal density cut off
/// near its peak, where the curvature is that of the edge.
template <int q>
Doubles flat_side_width(const SubjectRows<q>& rows, const Peak<q>& peak, std::size_t k) {
    constexpr double far = 3, least_width = 0.8;
    Effects<q> axis{};
    axis[k] = all_lanes(far);
    axis = solve_upper<q>(peak.root, axis);
    Doubles least_fall = all_lanes(0.5 * far * far / (least_width * least_width));
    for (const double side : {1.0, -1.0}) {
        Effects<q> v = peak.mode;
        for (std::size_t l = 0; l < q; ++l)
            v[l] += side * axis[l];
        // Above 0 wherever the search has found the peak.
        least_fall = minimum(least_fall, maximum(peak.log_height - log_integrand<q>(rows, v), all_lanes(1e-3)));
    }
    return far * square_root(0.5 / least_fall);
}

/// Peak whose root is that of the proposal.
template <int q>
Peak<q> proposal_at_peak(const SubjectRows<q>& rows) {
    // Near enough: what is left moves the centre by some hundredths of the proposal's width.
    constexpr double tolerance = 0.1;
    Peak<q> peak = find_peak<q>(rows, tolerance);
    Effects<q> widths;
    for (std::size_t k = 0; k < q; ++k)
        widths[k] = proposal_width * flat_side_width<q>(rows, peak, k);
    for (std::size_t k = 0; k < q; ++k)
        for (std::size_t l = 0; l <= k; ++l)
            peak.root[k][l] = peak.root[k][l] / widths[l];
    return peak;
}

template <int q>
void estimate_lanes(const GroupAtPoint& at, Index group, Index n_fours, const random::Address& address, double* out) {
    constexpr Index words_of_four = uniforms_of_four(q) * words_per_uniform, chunk = 32;
    constexpr Index n_halves = SubjectGroups::width / DoubleLanes::size;
    std::array<SubjectRows<q>, n_halves> rows;
    std::array<Peak<q>, n_halves> peaks;
    std::array<WeightSum, n_halves> sums;
    for (std::size_t half = 0; half < n_halves; ++half) {
        const std::size_t lane = half * static_cast<std::size_t>(DoubleLanes::size);
        rows[half] = {at.rows, at.offsets.data() + lane, at.slopes.data() + lane};
        peaks[half] = proposal_at_peak<q>(rows[half]);
        sums[half].log_unit = peaks[half].log_height;
    }
    alignas(64) std::uint32_t words[chunk * words_of_four];
    random::Philox::Counter counter = address.counter();
    counter[0] += static_cast<std::uint32_t>(group * n_fours * (words_of_four / 4));
    for (Index first = 0; first < n_fours; first += chunk) {
        const Index n = std::min(chunk, n_fours - first);
        random::Philox::fill(counter, address.key(), {words, static_cast<std::size_t>(n * words_of_four)});
        counter[0] += static_cast<std::uint32_t>(n * (words_of_four / 4));
        for (Index a = 0; a < n; ++a)
            for (std::size_t half = 0; half < n_halves; ++half)
                add_four<q>(rows[half], peaks[half],
                            draw_four<q>(words + a * words_of_four + 2 * static_cast<Index>(half) * DoubleLanes::size),
                            sums[half]);
    }
    for (std::size_t half = 0; half < n_halves; ++half) {
        const Doubles values = log_mean<q>(sums[half], peaks[half], n_fours);
        for (Index lane = 0; lane < DoubleLanes::size; ++lane)
            out[static_cast<Index>(half) * DoubleLanes::size + lane] = values[lane];
    }
}

} // namespace

void estimate_group(const GroupAtPoint& at, Index n_effects, Index group, Index n_fours, const random::Address& address,
                    std::span<double, SubjectGroups::width> out) {
    constexpr std::array kernels{estimate_lanes<1>, estimate_lanes<2>, estimate_lanes<3>, estimate_lanes<4>};
    PEARLITE_EXPECTS(n_effects >= 1 && n_effects <= static_cast<Index>(kernels.size()));
    kernels[static_cast<std::size_t>(n_effects - 1)](at, group, n_fours, address, out.data());
}

} // namespace pearlite::models::detail
