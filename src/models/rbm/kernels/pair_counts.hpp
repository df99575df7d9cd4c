#pragma once
/// How many chains have two units on, by counting the bits of planes, for kernel sources: a template over Bits, some
/// columns of 32 chains in a register of a path.

#include "models/rbm/kernels/lanes_avx512.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

/// Words whose counts fit into a byte: of eight bits each.
inline constexpr std::int64_t words_of_bytes = 31;

template <class B>
[[gnu::always_inline]] inline typename B::V chains_with_both(const PairPlanes& planes, std::int64_t row,
                                                             std::int64_t column, std::int64_t n_columns) {
    const std::uint32_t* const words = planes.rows + row * planes.n_words;
    const std::uint32_t* from = planes.columns + column;
    auto chains = B::zero();
    for (std::int64_t w = 0; w < planes.n_words;) {
        const std::int64_t last = planes.n_words - w < words_of_bytes ? planes.n_words : w + words_of_bytes;
        auto bytes = B::zero();
        for (; w < last; ++w, from += n_columns)
            bytes = B::add_bytes(bytes, B::bits_of_bytes(B::load_both(from, words[w])));
        chains = B::add(chains, B::sums_of_bytes(bytes));
    }
    return chains;
}

template <class B>
void count_pairs_by(const PairTask& task) {
    for (std::int64_t row = 0; row < task.n_rows; ++row)
        for (std::int64_t column = 0; column < task.n_columns; column += B::columns) {
            auto count = B::zero();
            for (const PairPlanes& planes : task.planes)
                count =
                    B::add(count, B::multiply(chains_with_both<B>(planes, row, column, task.n_columns), planes.factor));
            B::store(task.counts + row * task.n_columns + column, count);
        }
}

} // namespace

namespace {

// Definitions that the kernels of 8-bit limbs share: states as bytes, and sums put together from the sums of limbs.

/// Bytes 0 and 1 of the units of a tile, [inputs / 4][lane][4 inputs], up to a multiple of `padding` inputs.
inline void spread_bits(const std::uint32_t* words, std::int64_t n_inputs, std::int64_t padding, void* out) {
    // A table of sixteen entries turns each four bits into bytes: bit i becomes byte i.
    alignas(64) std::uint32_t bytes[tile_chains];
    for (std::uint32_t four = 0; four < 16; ++four)
        bytes[four] = (four * 0x00204081u) & 0x01010101u;
    const __m512i table = _mm512_load_si512(bytes);
    const std::int64_t n_words = (n_inputs + word_units - 1) / word_units;
    const std::int64_t n_groups = (n_inputs + padding - 1) / padding * padding / 4;
    auto* to = static_cast<std::uint32_t*>(out);
    for (std::int64_t g = 0; g < n_groups; ++g, to += tile_chains) {
        __m512i four = _mm512_setzero_si512();
        if (g / 8 < n_words)
            four = _mm512_srl_epi32(_mm512_load_si512(words + g / 8 * tile_chains),
                                    _mm_cvtsi32_si128(static_cast<int>(g % 8 * 4)));
        else
            four = _mm512_setzero_si512();
        _mm512_store_si512(to, _mm512_permutexvar_epi32(four, table));
    }
}

/// The sum of weights from the sums of their limbs, most significant first: no term leaves 32 bits in the end.
template <int n_limbs>
inline __m512i joined(const __m512i* limbs) {
    __m512i sum = limbs[0];
    for (int i = 1; i < n_limbs; ++i)
        sum = _mm512_add_epi32(_mm512_slli_epi32(sum, 8), limbs[i]);
    return sum;
}

} // namespace

} // namespace pearlite::models::rbm_kernels
