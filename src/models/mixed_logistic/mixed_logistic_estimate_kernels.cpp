// Estimates of the integrals of a mixed logistic regression.
#include "models/mixed_logistic/mixed_logistic_draws.hpp"
#include "models/mixed_logistic/mixed_logistic_kernels.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"

#include <cmath>
#include <cstring>

namespace pearlite::models::detail {

namespace {

static_assert(subjects_abreast == SubjectGroups::width);

/// Width of the proposal in units of the integrand's: about the best for a normal density as well as for the posteriors
/// of subjects with few responses.
constexpr double proposal_width = 0.7;

/// spread^((4 + q)/2), the divisor of the proposal's density.
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
        const Mask<Doubles> above = excess > largest_excess;
        if (any(above)) {
            total = above ? total * exp_or_least(above ? -excess : Doubles{}) : total;
            log_unit = above ? log_unit + excess : log_unit;
            excess = above ? Doubles{} : excess;
        }
        total += exp_or_least(excess) * factor / likelihood.product;
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
            likelihood[i].multiply(t, exp_or_least(minus_absolute(t)));
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
    Doubles determinant = broadcast<Doubles>(1);
    for (std::size_t k = 0; k < q; ++k)
        determinant *= peak.root[k][k];
    const Doubles positive = larger(sum.total, broadcast<Doubles>(1e-300));
    return sum.log_unit + (log(positive) - log(determinant) + log_constant);
}

/// The width of f along axis k of the peak's coordinates, relative to the width by its curvature, on the side where it
/// is wider: from its fall over three such widths. Deviations of 20 and more make f a normal density cut off
/// near its peak, where the curvature is that of the edge.
template <int q>
Doubles flat_side_width(const SubjectRows<q>& rows, const Peak<q>& peak, std::size_t k) {
    constexpr double far = 3, least_width = 0.8;
    Effects<q> axis{};
    axis[k] = broadcast<Doubles>(far);
    axis = solve_upper<q>(peak.root, axis);
    Doubles least_fall = broadcast<Doubles>(0.5 * far * far / (least_width * least_width));
    for (const double side : {1.0, -1.0}) {
        Effects<q> v = peak.mode;
        for (std::size_t l = 0; l < q; ++l)
            v[l] += side * axis[l];
        // Above 0 wherever the search has found the peak.
        least_fall = smaller(least_fall, larger(peak.log_height - log_integrand<q>(rows, v), broadcast<Doubles>(1e-3)));
    }
    return far * square_root(0.5 / least_fall);
}

/// Peak whose root is that of the proposal.
template <int q>
Peak<q> proposal_at_peak(const SubjectRows<q>& rows) {
    // Near enough: the remaining error moves the centre by some hundredths of the proposal's width.
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

constexpr Index n_halves = SubjectGroups::width / lanes<Doubles>;

template <int q>
using Peaks = std::array<Peak<q>, n_halves>;

template <int q>
SubjectRows<q> half_of(const GroupAtPoint& at, std::size_t half) {
    const std::size_t lane = half * static_cast<std::size_t>(lanes<Doubles>);
    return {at.rows, at.offsets.data() + lane, at.slopes.data() + lane};
}

template <int q>
void find_peaks(const GroupAtPoint& at, GroupProposal& proposal) {
    Peaks<q> peaks;
    static_assert(sizeof(peaks) <= sizeof(proposal.numbers) && std::is_trivially_copyable_v<Peaks<q>>);
    for (std::size_t half = 0; half < n_halves; ++half)
        peaks[half] = proposal_at_peak<q>(half_of<q>(at, half));
    std::memcpy(proposal.numbers.data(), &peaks, sizeof(peaks));
}

template <int q>
Peaks<q> peaks_of(const GroupProposal& proposal) {
    Peaks<q> peaks;
    std::memcpy(&peaks, proposal.numbers.data(), sizeof(peaks));
    return peaks;
}

/// take(half, four) of every four that the address has for a group.
template <int q, class Take>
[[gnu::always_inline]] inline void for_fours(Index group, Index n_fours, const random::Address& address, Take take) {
    constexpr Index words_of_four = uniforms_of_four(q) * words_per_uniform, chunk = 32;
    alignas(64) std::uint32_t words[chunk * words_of_four];
    random::Counter counter = address.counter();
    counter[0] += static_cast<std::uint32_t>(group * n_fours * (words_of_four / 4));
    for (Index first = 0; first < n_fours; first += chunk) {
        const Index n = std::min(chunk, n_fours - first);
        random::fill(counter, address.seed, {words, static_cast<std::size_t>(n * words_of_four)});
        counter[0] += static_cast<std::uint32_t>(n * (words_of_four / 4));
        for (Index a = 0; a < n; ++a)
            for (std::size_t half = 0; half < n_halves; ++half)
                take(half, draw_four<q>(words + a * words_of_four + 2 * static_cast<Index>(half) * lanes<Doubles>));
    }
}

inline void store_half(Doubles values, std::size_t half, double* out) {
    for (Index lane = 0; lane < lanes<Doubles>; ++lane)
        out[static_cast<Index>(half) * lanes<Doubles> + lane] = values[lane];
}

template <int q>
void estimate_lanes(const GroupAtPoint& at, const GroupProposal& proposal, Index group, Index n_fours,
                    const random::Address& address, double* out) {
    const Peaks<q> peaks = peaks_of<q>(proposal);
    std::array<SubjectRows<q>, n_halves> rows;
    std::array<WeightSum, n_halves> sums;
    for (std::size_t half = 0; half < n_halves; ++half) {
        rows[half] = half_of<q>(at, half);
        sums[half].log_unit = peaks[half].log_height;
    }
    for_fours<q>(group, n_fours, address, [&](std::size_t half, const Four<q>& four) {
        add_four<q>(rows[half], peaks[half], four, sums[half]);
    });
    for (std::size_t half = 0; half < n_halves; ++half)
        store_half(log_mean<q>(sums[half], peaks[half], n_fours), half, out);
}

template <int q>
void variance_lanes(const GroupAtPoint& at, const GroupProposal& proposal, Index group, Index n_fours,
                    const random::Address& address, double* out) {
    const Peaks<q> peaks = peaks_of<q>(proposal);
    std::array<SubjectRows<q>, n_halves> rows;
    Doubles sum[n_halves]{}, squares[n_halves]{};
    for (std::size_t half = 0; half < n_halves; ++half)
        rows[half] = half_of<q>(at, half);
    for_fours<q>(group, n_fours, address, [&](std::size_t half, const Four<q>& four) {
        WeightSum weight{.log_unit = peaks[half].log_height};
        add_four<q>(rows[half], peaks[half], four, weight);
        const Doubles shift = smaller(weight.log_unit - peaks[half].log_height, broadcast<Doubles>(largest_excess / 4));
        const Doubles value = weight.total * exp_or_least(shift);
        sum[half] += value;
        squares[half] += value * value;
    });
    const auto n = static_cast<double>(n_fours);
    for (std::size_t half = 0; half < n_halves; ++half) {
        const Doubles square = larger(sum[half] * sum[half], broadcast<Doubles>(1e-300));
        store_half(larger(n / (n - 1) * (n * squares[half] / square - 1.0), Doubles{}), half, out);
    }
}

/// The kernel for the number of effects.
template <class Function>
Function of_effects(Index n_effects, const std::array<Function, GroupProposal::most_effects>& kernels) {
    PEARLITE_EXPECTS(n_effects >= 1 && n_effects <= GroupProposal::most_effects);
    return kernels[static_cast<std::size_t>(n_effects - 1)];
}

} // namespace

template <class>
void find_proposal(const GroupAtPoint& at, Index n_effects, GroupProposal& proposal) {
    of_effects<decltype(&find_peaks<1>)>(n_effects,
                                         {find_peaks<1>, find_peaks<2>, find_peaks<3>, find_peaks<4>})(at, proposal);
}

template <class>
void estimate_group(const GroupAtPoint& at, Index n_effects, const GroupProposal& proposal, Index group, Index n_fours,
                    const random::Address& address, std::span<double, SubjectGroups::width> out) {
    of_effects<decltype(&estimate_lanes<1>)>(n_effects, {estimate_lanes<1>, estimate_lanes<2>, estimate_lanes<3>,
                                                         estimate_lanes<4>})(at, proposal, group, n_fours, address,
                                                                             out.data());
}

template <class>
void four_variances(const GroupAtPoint& at, Index n_effects, const GroupProposal& proposal, Index group, Index n_fours,
                    const random::Address& address, std::span<double, SubjectGroups::width> out) {
    PEARLITE_EXPECTS(n_fours >= 2);
    of_effects<decltype(&variance_lanes<1>)>(n_effects, {variance_lanes<1>, variance_lanes<2>, variance_lanes<3>,
                                                         variance_lanes<4>})(at, proposal, group, n_fours, address,
                                                                             out.data());
}

template void find_proposal<simd::Compiled>(const GroupAtPoint& at, Index n_effects, GroupProposal& proposal);
template void estimate_group<simd::Compiled>(const GroupAtPoint& at, Index n_effects, const GroupProposal& proposal,
                                             Index group, Index n_fours, const random::Address& address,
                                             std::span<double, SubjectGroups::width> out);
template void four_variances<simd::Compiled>(const GroupAtPoint& at, Index n_effects, const GroupProposal& proposal,
                                             Index group, Index n_fours, const random::Address& address,
                                             std::span<double, SubjectGroups::width> out);

} // namespace pearlite::models::detail
