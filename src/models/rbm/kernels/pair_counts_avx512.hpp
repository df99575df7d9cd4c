#pragma once
/// Counts of pairs in registers of AVX-512: by the instruction that counts bits where the CPU has it, else by look-up.

#include "models/rbm/kernels/pair_counts.hpp"

#include <immintrin.h>

namespace pearlite::models::rbm_kernels {

namespace {

struct Bits512 {
    using V = __m512i;
    static constexpr std::int64_t columns = 16;

    static V zero() { return _mm512_setzero_si512(); }
    static V load_both(const std::uint32_t* from, std::uint32_t word) {
        return _mm512_and_si512(_mm512_load_si512(from), _mm512_set1_epi32(static_cast<int>(word)));
    }
    static V bits_of_bytes(V x) {
        const V of_four = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const V low = _mm512_set1_epi8(15);
        return _mm512_add_epi8(_mm512_shuffle_epi8(of_four, _mm512_and_si512(x, low)),
                               _mm512_shuffle_epi8(of_four, _mm512_and_si512(_mm512_srli_epi32(x, 4), low)));
    }
    static V add_bytes(V a, V b) { return _mm512_add_epi8(a, b); }
    static V sums_of_bytes(V x) {
        return _mm512_madd_epi16(_mm512_maddubs_epi16(x, _mm512_set1_epi8(1)), _mm512_set1_epi16(1));
    }
    static V add(V a, V b) { return _mm512_add_epi32(a, b); }
    static V multiply(V a, std::int32_t factor) { return _mm512_mullo_epi32(a, _mm512_set1_epi32(factor)); }
    static void store(std::int32_t* to, V x) { _mm512_storeu_si512(to, x); }
};

[[gnu::target("avx512vpopcntdq")]] inline void count_pairs_by_instruction(const PairTask& task) {
    for (std::int64_t row = 0; row < task.n_rows; ++row)
        for (std::int64_t column = 0; column < task.n_columns; column += Bits512::columns) {
            __m512i count = _mm512_setzero_si512();
            for (const PairPlanes& planes : task.planes) {
                const std::uint32_t* const words = planes.rows + row * planes.n_words;
                const std::uint32_t* from = planes.columns + column;
                __m512i chains = _mm512_setzero_si512();
                for (std::int64_t w = 0; w < planes.n_words; ++w, from += task.n_columns) {
                    const __m512i word = _mm512_set1_epi32(static_cast<int>(words[w]));
                    const __m512i both = _mm512_and_si512(_mm512_load_si512(from), word);
                    chains = _mm512_add_epi32(chains, _mm512_popcnt_epi32(both));
                }
                count = _mm512_add_epi32(count, _mm512_mullo_epi32(chains, _mm512_set1_epi32(planes.factor)));
            }
            _mm512_storeu_si512(task.counts + row * task.n_columns + column, count);
        }
}

inline void count_pairs(const PairTask& task) {
    if (counts_bits())
        count_pairs_by_instruction(task);
    else
        count_pairs_by<Bits512>(task);
}

} // namespace

} // namespace pearlite::models::rbm_kernels
