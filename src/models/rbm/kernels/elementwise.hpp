#pragma once
/// The functions of single units, for kernel sources: templates over Lanes, sixteen chains in registers of a path. Each
/// Lanes is a type of an unnamed namespace, so that nothing here is shared between objects.

#include "models/rbm/kernels/kernels.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

/// 2^t for t <= 0, at least 2^-125: within 1 ulp. t = 0 gives 1 exactly.
template <class L>
[[gnu::always_inline]] inline typename L::F power_of_two(typename L::F t) {
    using F = typename L::F;
    // Adding it rounds to integers, which then stand in the low bits.
    const F to_integer = L::broadcast(0x1.8p23f);
    t = L::larger(t, L::broadcast(-125.0f));
    const F shifted = L::add(t, to_integer);
    const F f = L::subtract(t, L::subtract(shifted, to_integer));
    // Least relative error on [-1/2, 1/2] with constant term 1: 1.6e-8 before rounding.
    F p = L::broadcast(0x1.41fbbcp-13f);
    p = L::fused(p, f, L::broadcast(0x1.5f3e54p-10f));
    p = L::fused(p, f, L::broadcast(0x1.3b2d4cp-7f));
    p = L::fused(p, f, L::broadcast(0x1.c6aee8p-5f));
    p = L::fused(p, f, L::broadcast(0x1.ebfbdcp-3f));
    p = L::fused(p, f, L::broadcast(0x1.62e430p-1f));
    p = L::fused(p, f, L::broadcast(1.0f));
    return L::add_to_exponent(p, shifted);
}

template <class L>
void fields(const std::int32_t* sums, std::int64_t n_units, const float* scale, const float* bias, float* x) {
    for (std::int64_t i = 0; i < n_units; ++i)
        L::store(x + i * tile_chains,
                 L::fused(L::load_integers(sums + i * tile_chains), L::broadcast(scale[i]), L::broadcast(bias[i])));
}

template <class L>
void statistics(const float* c, std::int64_t n_units, float scale, Statistics& out) {
    using F = typename L::F;
    const F zero = L::broadcast(0.0f), one = L::broadcast(1.0f), factor = L::broadcast(scale);
    F positive = zero, slope = zero, factors = one;
    for (std::int64_t i = 0; i < n_units; ++i) {
        const F x = L::load(c + i * tile_chains);
        const F e = power_of_two<L>(L::multiply(L::absolute(x), factor));
        const F d = L::add(one, e);
        positive = L::add(positive, L::larger(x, zero));
        slope = L::add(slope, L::divide(L::multiply(L::select(L::less(zero, x), one, e), x), d));
        factors = L::multiply(factors, d);
    }
    L::store(out.positive, positive);
    L::store(out.slope, slope);
    L::store(out.factors, factors);
}

template <class L>
void statistics_of_step(const float* x, const float* column, const float* step, std::int64_t n_units, Statistics& out) {
    using F = typename L::F;
    const F zero = L::broadcast(0.0f), one = L::broadcast(1.0f), factor = L::broadcast(-0x1.715476p+0f); // -log2(e)
    const F steps = L::load(step);
    F positive = zero, factors = one;
    for (std::int64_t i = 0; i < n_units; ++i) {
        const F stepped = L::fused(steps, L::broadcast(column[i]), L::load(x + i * tile_chains));
        positive = L::add(positive, L::larger(stepped, zero));
        factors = L::multiply(factors, L::add(one, power_of_two<L>(L::multiply(L::absolute(stepped), factor))));
    }
    L::store(out.positive, positive);
    L::store(out.factors, factors);
}

template <class L>
[[gnu::always_inline]] inline typename L::F point_between(typename L::F low, typename L::F high, typename L::F part,
                                                          typename L::F rest) {
    return L::fused(part, high, L::multiply(rest, low));
}

template <class L>
void between(const float* low, const float* high, float part, std::int64_t n_units, float* x) {
    const typename L::F of_high = L::broadcast(part), of_low = L::broadcast(1 - part);
    for (std::int64_t i = 0; i < n_units * tile_chains; i += tile_chains)
        L::store(x + i, point_between<L>(L::load(low + i), L::load(high + i), of_high, of_low));
}

template <class L>
void slope_between(const float* low, const float* high, float part, std::int64_t n_units, float* sums) {
    using F = typename L::F;
    const F zero = L::broadcast(0.0f), one = L::broadcast(1.0f), factor = L::broadcast(-0x1.715476p+0f); // -log2(e)
    const F of_high = L::broadcast(part), of_low = L::broadcast(1 - part);
    F sum = zero;
    for (std::int64_t i = 0; i < n_units * tile_chains; i += tile_chains) {
        const F from = L::load(low + i), to = L::load(high + i);
        const F x = point_between<L>(from, to, of_high, of_low);
        const F e = power_of_two<L>(L::multiply(L::absolute(x), factor));
        const F on = L::divide(L::select(L::less(zero, x), one, e), L::add(one, e));
        sum = L::add(sum, L::multiply(L::subtract(to, from), on));
    }
    L::store(sums, sum);
}

template <class L>
void step_fields(float* x, const float* column, const float* step, std::int64_t n_units) {
    const typename L::F steps = L::load(step);
    for (std::int64_t i = 0; i < n_units; ++i)
        L::store(x + i * tile_chains, L::fused(steps, L::broadcast(column[i]), L::load(x + i * tile_chains)));
}

template <class L, bool by_lane>
typename L::F sum_on_of(const std::uint32_t* words, const float* values, std::int64_t n_units) {
    const typename L::F zero = L::broadcast(0.0f);
    typename L::F sum = zero;
    for (std::int64_t first = 0; first < n_units; first += word_units, words += tile_chains) {
        const typename L::I word = L::load_word(words);
        const std::int64_t last = n_units - first < word_units ? n_units : first + word_units;
        for (std::int64_t i = first; i < last; ++i) {
            const auto value = by_lane ? L::load(values + i * tile_chains) : L::broadcast(values[i]);
            sum = L::add(sum, L::select(L::has_bit(word, std::uint32_t{1} << (i - first)), value, zero));
        }
    }
    return sum;
}

template <class L>
void sum_on(const std::uint32_t* words, const float* values, bool by_lane, std::int64_t n_units, float* sums) {
    L::store(sums, by_lane ? sum_on_of<L, true>(words, values, n_units) : sum_on_of<L, false>(words, values, n_units));
}

/// Which of the undecided lanes are on.
template <class L>
[[gnu::noinline, gnu::cold]] std::uint32_t settle_draws(const DrawTask& task, std::int64_t unit,
                                                        std::uint32_t undecided, const float* excesses,
                                                        const float* widths) {
    std::uint32_t is_on = 0;
    for (std::int64_t lane = 0; lane < tile_chains; ++lane)
        if ((undecided >> lane & 1) != 0 && settle_draw(*task.streams, unit, lane, excesses[lane], widths[lane]))
            is_on |= std::uint32_t{1} << lane;
    return is_on;
}

/// 1 where 16 random bits r and the tie's further ones, as a fraction, are below sigma(x) = on / width, with on = 1 or
/// e and width = 1 + e: r width < 65536 on. One rounding of the difference, which keeps its sign.
template <class L>
[[gnu::always_inline]] inline typename L::M draw_unit(const DrawTask& task, std::int64_t unit, typename L::F x,
                                                      typename L::I random16, typename L::F scale,
                                                      typename L::F& factors) {
    using F = typename L::F;
    using M = typename L::M;
    const F zero = L::broadcast(0.0f), one = L::broadcast(1.0f);
    const F e = power_of_two<L>(L::multiply(L::absolute(x), scale));
    const F width = L::add(one, e);
    factors = L::multiply(factors, width);
    const F on = L::multiply(L::select(L::less(zero, x), one, e), L::broadcast(65536.0f));
    const F excess = L::fused_difference(L::to_floats(random16), width, on);
    const M is_off = L::less_or_equal(zero, excess);
    M is_on = L::less_or_equal(excess, L::subtract(zero, width));
    if (const std::uint32_t undecided = ~L::bits(L::either(is_on, is_off)) & 0xffffu; undecided != 0) [[unlikely]] {
        alignas(64) float excesses[tile_chains], widths[tile_chains];
        L::store(excesses, excess);
        L::store(widths, width);
        is_on = L::either(is_on, L::mask(settle_draws<L>(task, unit, undecided, excesses, widths)));
    }
    return is_on;
}

template <class L>
void draw(const DrawTask& task) {
    using F = typename L::F;
    using I = typename L::I;
    constexpr std::int64_t counter_units = 8; // 16 bits each
    const F scale = L::broadcast(task.scale);
    F factors = L::broadcast(1.0f);
    I word = L::zero_word();
    const std::uint32_t first_counter = task.streams->first_unit / counter_units;
    alignas(64) std::uint32_t words[panel_counters * 4 * tile_chains];
    const bool by_ars = task.streams->by_ars;
    if (by_ars)
        ars_words(*task.streams, first_counter, (task.n_units + counter_units - 1) / counter_units, words);
    for (std::int64_t first = 0; first < task.n_units; first += counter_units) {
        I random[4];
        if (by_ars) {
            for (std::int64_t i = 0; i < 4; ++i)
                random[i] = L::load_word(words + (first / counter_units * 4 + i) * tile_chains);
        } else {
            L::philox(*task.streams, first_counter + static_cast<std::uint32_t>(first / counter_units), random);
        }
        const std::int64_t n = task.n_units - first < counter_units ? task.n_units - first : counter_units;
        const float* const x = task.x + first * tile_chains;
        const auto one = [&](std::int64_t j) __attribute__((always_inline)) {
            const auto shift = static_cast<std::uint32_t>((first + j) % word_units);
            const I half = (j & 1) != 0 ? L::high_half(random[j / 2]) : L::low_half(random[j / 2]);
            const auto is_on = draw_unit<L>(task, first + j, L::load(x + j * tile_chains), half, scale, factors);
            word = L::set_bit(word, is_on, std::uint32_t{1} << shift);
        };
        if (n == counter_units) {
#pragma GCC unroll 8
            for (std::int64_t j = 0; j < counter_units; ++j)
                one(j);
        } else {
            for (std::int64_t j = 0; j < n; ++j)
                one(j);
        }
        if ((first + counter_units) % word_units == 0 || first + counter_units >= task.n_units) {
            L::store(task.words + first / word_units * tile_chains, word);
            word = L::zero_word();
        }
    }
    L::store(task.factors, factors);
}

template <class L>
void planes(const std::uint32_t* words, std::int64_t n_units, std::uint16_t* out, std::int64_t stride) {
    for (std::int64_t first = 0; first < n_units; first += word_units, words += tile_chains) {
        const typename L::I word = L::load_word(words);
        const std::int64_t last = n_units - first < word_units ? n_units : first + word_units;
        for (std::int64_t i = first; i < last; ++i)
            out[i * stride] = static_cast<std::uint16_t>(L::bits(L::has_bit(word, std::uint32_t{1} << (i - first))));
    }
}

/// Philox4x32-10 of sixteen lanes, in parts of a register of 64-bit lanes: the low halves count.
inline constexpr std::uint32_t philox_multiplier[2] = {0xD2511F53, 0xCD9E8D57};
inline constexpr std::uint32_t philox_weyl[2] = {0x9E3779B9, 0xBB67AE85};

/// For sums that need no other form of the units, or no scratch.
inline std::size_t no_bytes(std::int64_t) {
    return 0;
}

/// The kernels of a path: its sums, all else by its lanes L.
template <class L>
constexpr Kernels kernels_with(Format format, decltype(Kernels::spread_bytes) spread_bytes,
                               decltype(Kernels::spread) spread, decltype(Kernels::scratch_bytes) scratch_bytes,
                               decltype(Kernels::sums) sums, decltype(Kernels::count_pairs) count_pairs) {
    return {format,     spread_bytes,     spread,         scratch_bytes,
            sums,       fields<L>,        statistics<L>,  statistics_of_step<L>,
            between<L>, slope_between<L>, step_fields<L>, sum_on<L>,
            draw<L>,    planes<L>,        count_pairs};
}

} // namespace

} // namespace pearlite::models::rbm_kernels
