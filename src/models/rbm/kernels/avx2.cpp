/// Sums by look-up: the sums of the weights of three units, all eight of them, are a register's integers, and three
/// bits of a lane's word choose one (vpermd).

#include "models/rbm/kernels/lanes_plain.hpp"
#include "models/rbm/kernels/pair_counts.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

struct Avx2 : Plain {
    static F fused(F a, F b, F c) {
        return both<F>([&](int i) { return F8(_mm256_fmadd_ps(a.part[i], b.part[i], c.part[i])); });
    }
    static F fused_difference(F a, F b, F c) {
        return both<F>([&](int i) { return F8(_mm256_fmsub_ps(a.part[i], b.part[i], c.part[i])); });
    }
    static F larger(F a, F b) {
        return both<F>([&](int i) { return F8(_mm256_max_ps(a.part[i], b.part[i])); });
    }
    static F select(M m, F a, F b) {
        return both<F>(
            [&](int i) { return F8(_mm256_blendv_ps(b.part[i], a.part[i], reinterpret_cast<__m256>(m.part[i]))); });
    }
    static std::uint32_t bits(M m) {
        const auto half = [&](int i) {
            return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(m.part[i])));
        };
        return half(0) | half(1) << 8;
    }
    static W4 product(W4 a, std::uint32_t b) {
        return reinterpret_cast<W4>(
            _mm256_mul_epu32(reinterpret_cast<__m256i>(a), _mm256_set1_epi64x(static_cast<long long>(b))));
    }
    static void philox(const DrawStreams& streams, std::uint32_t counter, I (&out)[4]) {
        philox_by<Avx2>(streams, counter, out);
    }
};

constexpr std::int64_t group = 3;                                      // units of a table
constexpr std::int64_t word_groups = (word_units + group - 1) / group; // the last one has two units
constexpr std::int64_t abreast = 4;                                    // output units whose tables are made at once
constexpr std::int64_t units_abreast = 2, halves_abreast = 4;          // accumulators: half of the registers
constexpr std::int64_t table_size = 8;
constexpr std::int64_t chunk_words = 8; // tables in work at a time: 11 KiB
using I = __m256i;

/// Tables of `abreast` units over a word from their weights [group of four][unit][4]: [pair of units][group][unit].
void make_tables(const std::int32_t* weights, std::int64_t n_words, std::int32_t* tables) {
    const I has[group] = {_mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1), _mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1),
                          _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1)};
    for (std::int64_t w = 0; w < n_words; ++w, weights += word_units * abreast)
        for (std::int64_t u = 0; u < abreast; ++u) {
            std::int32_t* const out =
                tables +
                ((u / units_abreast * chunk_words + w) * word_groups * units_abreast + u % units_abreast) * table_size;
#pragma GCC unroll 11
            for (std::int64_t g = 0; g < word_groups; ++g) {
                const auto part = [&](std::int64_t i) {
                    const std::int64_t k = group * g + i;
                    return _mm256_and_si256(has[i], _mm256_set1_epi32(weights[(k / 4 * abreast + u) * 4 + k % 4]));
                };
                I table = _mm256_add_epi32(part(0), part(1));
                if (group * g + 2 < word_units)
                    table = _mm256_add_epi32(table, part(2));
                _mm256_store_si256(reinterpret_cast<I*>(out + g * units_abreast * table_size), table);
            }
        }
}

/// Sums of two units of n_tiles tiles over the words of a chunk, to which those of earlier chunks are added. Meanwhile
/// the weights of the next tables come into the cache.
template <int n_tiles>
[[gnu::noinline]] void sum_tiles(const std::int32_t* tables, const std::int32_t* next_weights, std::int64_t n_words,
                                 const std::uint32_t* words, std::int64_t tile_stride, bool is_first,
                                 std::int32_t* out) {
    constexpr int halves = 2 * n_tiles;
    const auto place = [&](std::int64_t u, std::int64_t h) {
        return reinterpret_cast<I*>(out + (h / 2 * panel_units + u) * tile_chains + h % 2 * 8);
    };
    I sum[units_abreast][halves];
#pragma GCC unroll 2
    for (std::int64_t u = 0; u < units_abreast; ++u)
#pragma GCC unroll 4
        for (std::int64_t h = 0; h < halves; ++h)
            sum[u][h] = is_first ? _mm256_setzero_si256() : _mm256_load_si256(place(u, h));
    for (std::int64_t w = 0; w < n_words; ++w, words += tile_chains) {
        I word[halves];
#pragma GCC unroll 4
        for (std::int64_t h = 0; h < halves; ++h)
            word[h] = _mm256_load_si256(reinterpret_cast<const I*>(words + h / 2 * tile_stride + h % 2 * 8));
        for (std::int64_t g = 0; g < word_groups; ++g, tables += units_abreast * table_size, next_weights += 16) {
            _mm_prefetch(next_weights, _MM_HINT_T0);
#pragma GCC unroll 2
            for (std::int64_t u = 0; u < units_abreast; ++u) {
                const I table = _mm256_load_si256(reinterpret_cast<const I*>(tables + u * table_size));
#pragma GCC unroll 4
                for (std::int64_t h = 0; h < halves; ++h)
                    sum[u][h] = _mm256_add_epi32(sum[u][h], _mm256_permutevar8x32_epi32(table, word[h]));
            }
#pragma GCC unroll 4
            for (std::int64_t h = 0; h < halves; ++h)
                word[h] = _mm256_srli_epi32(word[h], group);
        }
    }
#pragma GCC unroll 2
    for (std::int64_t u = 0; u < units_abreast; ++u)
#pragma GCC unroll 4
        for (std::int64_t h = 0; h < halves; ++h)
            _mm256_store_si256(place(u, h), sum[u][h]);
}

void sums(const SumTask& task) {
    constexpr std::int64_t tiles_abreast = halves_abreast / 2;
    const std::int64_t n_words = (task.weights.n_inputs + word_units - 1) / word_units;
    const std::int64_t tile_stride = n_words * tile_chains;
    auto* const tables = static_cast<std::int32_t*>(task.scratch);
    for (std::int64_t u = 0; u < task.n_units; u += abreast)
        for (std::int64_t first = 0; first < n_words; first += chunk_words) {
            const std::int64_t n = n_words - first < chunk_words ? n_words - first : chunk_words;
            const auto* const weights = static_cast<const std::int32_t*>(task.weights.data) +
                                        ((task.first_unit + u) * n_words + first * abreast) * word_units;
            make_tables(weights, n, tables);
            const auto* const words = static_cast<const std::uint32_t*>(task.states) + first * tile_chains;
            for (std::int64_t pair = 0; pair < abreast; pair += units_abreast)
                for (std::int64_t tile = 0; tile < task.n_tiles; tile += tiles_abreast) {
                    const auto sum = task.n_tiles - tile >= tiles_abreast ? sum_tiles<2> : sum_tiles<1>;
                    sum(tables + pair * chunk_words * word_groups * table_size, weights + n * abreast * word_units, n,
                        words + tile * tile_stride, tile_stride, first == 0,
                        task.sums + (tile * panel_units + u + pair) * tile_chains);
                }
        }
}

std::size_t scratch_bytes(std::int64_t) {
    return static_cast<std::size_t>(abreast * chunk_words * word_groups * table_size) * sizeof(std::int32_t);
}

struct Bits256 {
    using V = I;
    static constexpr std::int64_t columns = 8;

    static V zero() { return _mm256_setzero_si256(); }
    static V load_both(const std::uint32_t* from, std::uint32_t word) {
        return _mm256_and_si256(_mm256_load_si256(reinterpret_cast<const I*>(from)),
                                _mm256_set1_epi32(static_cast<int>(word)));
    }
    static V bits_of_bytes(V x) {
        const V of_four = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        const V low = _mm256_set1_epi8(15);
        return _mm256_add_epi8(_mm256_shuffle_epi8(of_four, _mm256_and_si256(x, low)),
                               _mm256_shuffle_epi8(of_four, _mm256_and_si256(_mm256_srli_epi32(x, 4), low)));
    }
    static V add_bytes(V a, V b) { return _mm256_add_epi8(a, b); }
    static V sums_of_bytes(V x) {
        return _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
    }
    static V add(V a, V b) { return _mm256_add_epi32(a, b); }
    static V multiply(V a, std::int32_t factor) { return _mm256_mullo_epi32(a, _mm256_set1_epi32(factor)); }
    static void store(std::int32_t* to, V x) { _mm256_storeu_si256(reinterpret_cast<I*>(to), x); }
};

} // namespace

const Kernels avx2_kernels =
    kernels_with<Avx2>(Format::integers, no_bytes, nullptr, scratch_bytes, sums, count_pairs_by<Bits256>);

} // namespace pearlite::models::rbm_kernels
