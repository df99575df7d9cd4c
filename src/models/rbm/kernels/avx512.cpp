/// Sums by look-up: the sums of the weights of four units, all sixteen of them, are a register's integers, and four
/// bits of a lane's word choose one (vpermd). Sixty-four products of 32 bits in two instructions: more than vpdpbusd
/// makes of 24-bit weights in limbs.

#include "models/rbm/kernels/pair_counts_avx512.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

constexpr std::int64_t group = 4;         // units of a table
constexpr std::int64_t abreast = 4;       // output units at a time
constexpr std::int64_t tiles_abreast = 4; // and tiles: accumulators are half of the registers
constexpr std::int64_t word_groups = word_units / group;
/// Tables in work at a time, of `abreast` units each: 16 KiB, which stay in the first-level cache for all tiles.
constexpr std::int64_t chunk_groups = 64;

std::int64_t groups_of(std::int64_t n_inputs) {
    return (n_inputs + group - 1) / group;
}

/// The table of four weights: integer i is the sum of the weights whose bits are set in i.
__m512i table_of(const std::int32_t* w) {
    const auto weight = [w](int i) { return _mm512_broadcastd_epi32(_mm_loadu_si32(w + i)); };
    __m512i table = _mm512_maskz_mov_epi32(0xaaaa, weight(0));
    table = _mm512_mask_add_epi32(table, 0xcccc, table, weight(1));
    table = _mm512_mask_add_epi32(table, 0xf0f0, table, weight(2));
    return _mm512_mask_add_epi32(table, 0xff00, table, weight(3));
}

/// Tables of `abreast` units from their weights [group][unit][4].
void make_tables(const std::int32_t* weights, std::int64_t n_groups, std::int32_t* tables) {
    for (std::int64_t i = 0; i < n_groups * abreast; ++i)
        _mm512_store_si512(tables + i * tile_chains, table_of(weights + i * group));
}

/// Sums of n_groups groups of units, from the start of a word on, to which those of earlier groups are added. Meanwhile
/// the weights of the next tables come into the cache.
template <int n_tiles>
[[gnu::noinline]] void sum_tiles(const std::int32_t* tables, const std::int32_t* next_weights, std::int64_t n_groups,
                                 const std::uint32_t* words, std::int64_t tile_stride, bool is_first,
                                 std::int32_t* out) {
    __m512i sum[abreast][n_tiles];
#pragma GCC unroll 4
    for (int u = 0; u < abreast; ++u)
#pragma GCC unroll 4
        for (int t = 0; t < n_tiles; ++t)
            sum[u][t] =
                is_first ? _mm512_setzero_si512() : _mm512_load_si512(out + (t * panel_units + u) * tile_chains);
    for (std::int64_t g = 0; g < n_groups; words += tile_chains) {
        __m512i word[n_tiles];
#pragma GCC unroll 4
        for (int t = 0; t < n_tiles; ++t)
            word[t] = _mm512_load_si512(words + t * tile_stride);
        const std::int64_t last = n_groups - g < word_groups ? n_groups : g + word_groups;
        for (; g < last; ++g, tables += abreast * tile_chains, next_weights += abreast * group) {
            _mm_prefetch(next_weights, _MM_HINT_T0);
#pragma GCC unroll 4
            for (int u = 0; u < abreast; ++u) {
                const __m512i table = _mm512_load_si512(tables + u * tile_chains);
#pragma GCC unroll 4
                for (int t = 0; t < n_tiles; ++t)
                    sum[u][t] = _mm512_add_epi32(sum[u][t], _mm512_permutexvar_epi32(word[t], table));
            }
#pragma GCC unroll 4
            for (int t = 0; t < n_tiles; ++t)
                word[t] = _mm512_srli_epi32(word[t], group);
        }
    }
#pragma GCC unroll 4
    for (int u = 0; u < abreast; ++u)
#pragma GCC unroll 4
        for (int t = 0; t < n_tiles; ++t)
            _mm512_store_si512(out + (t * panel_units + u) * tile_chains, sum[u][t]);
}

void sums(const SumTask& task) {
    static constexpr decltype(&sum_tiles<1>) by_tiles[tiles_abreast] = {sum_tiles<1>, sum_tiles<2>, sum_tiles<3>,
                                                                        sum_tiles<4>};
    const std::int64_t n_groups = groups_of(task.weights.n_inputs);
    const std::int64_t n_words = (task.weights.n_inputs + word_units - 1) / word_units;
    const std::int64_t tile_stride = n_words * tile_chains;
    auto* const tables = static_cast<std::int32_t*>(task.scratch);
    for (std::int64_t u = 0; u < task.n_units; u += abreast) {
        const auto* const weights =
            static_cast<const std::int32_t*>(task.weights.data) + (task.first_unit + u) * n_words * word_units;
        for (std::int64_t first = 0; first < n_groups; first += chunk_groups) {
            const std::int64_t n = n_groups - first < chunk_groups ? n_groups - first : chunk_groups;
            const std::int32_t* const next_weights = weights + (first + n) * abreast * group;
            make_tables(weights + first * abreast * group, n, tables);
            const auto* const words =
                static_cast<const std::uint32_t*>(task.states) + first / word_groups * tile_chains;
            for (std::int64_t tile = 0; tile < task.n_tiles; tile += tiles_abreast) {
                const std::int64_t rest = task.n_tiles - tile;
                by_tiles[(rest < tiles_abreast ? rest : tiles_abreast) - 1](
                    tables, next_weights, n, words + tile * tile_stride, tile_stride, first == 0,
                    task.sums + (tile * panel_units + u) * tile_chains);
            }
        }
    }
}

std::size_t scratch_bytes(std::int64_t) {
    return static_cast<std::size_t>(chunk_groups * abreast * tile_chains) * sizeof(std::int32_t);
}

} // namespace

const Kernels avx512_kernels =
    kernels_with<Avx512>(Format::integers, no_bytes, nullptr, scratch_bytes, sums, count_pairs);

} // namespace pearlite::models::rbm_kernels
