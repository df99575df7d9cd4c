/// Products of four bytes of states with four 8-bit limbs of weights (vpdpbusd), the weights broadcast to all lanes.

#include "models/rbm/kernels/pair_counts_avx512.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

constexpr std::int64_t abreast = 4; // output units at a time

/// Tiles at a time: 16 or 24 accumulators.
constexpr int tiles_abreast(int n_limbs) {
    return n_limbs == 1 ? 4 : 2;
}

/// `states` are unsigned, `weights` signed. In assembly, because g++ 12 spills the accumulators of the intrinsic.
[[gnu::always_inline]] inline void add_products(__m512i& sum, __m512i states, __m512i weights) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(states), "v"(weights));
}

template <int n_limbs, int n_tiles>
[[gnu::noinline]] void sum_tiles(const std::int8_t* weights, std::int64_t n_groups, const std::int8_t* states,
                                 std::int64_t tile_stride, std::int32_t* out) {
    __m512i sum[abreast][n_tiles][n_limbs];
#pragma GCC unroll 4
    for (auto& of_unit : sum)
#pragma GCC unroll 4
        for (auto& of_tile : of_unit)
#pragma GCC unroll 3
            for (__m512i& of_limb : of_tile)
                of_limb = _mm512_setzero_si512();
    for (std::int64_t g = 0; g < n_groups; ++g, states += 4 * tile_chains, weights += n_limbs * abreast * 4) {
        __m512i state[n_tiles];
#pragma GCC unroll 4
        for (int t = 0; t < n_tiles; ++t)
            state[t] = _mm512_load_si512(states + t * tile_stride);
#pragma GCC unroll 3
        for (int limb = 0; limb < n_limbs; ++limb)
#pragma GCC unroll 4
            for (int u = 0; u < abreast; ++u) {
                const __m512i weight = _mm512_broadcastd_epi32(_mm_loadu_si32(weights + (limb * abreast + u) * 4));
#pragma GCC unroll 4
                for (int t = 0; t < n_tiles; ++t)
                    add_products(sum[u][t][limb], state[t], weight);
            }
    }
#pragma GCC unroll 4
    for (int u = 0; u < abreast; ++u)
#pragma GCC unroll 4
        for (int t = 0; t < n_tiles; ++t)
            _mm512_store_si512(out + (t * panel_units + u) * tile_chains, joined<n_limbs>(sum[u][t]));
}

std::int64_t groups_of(std::int64_t n_inputs) {
    return (n_inputs + word_units - 1) / word_units * (word_units / 4);
}

template <int n_limbs>
void sums_of(const SumTask& task) {
    constexpr int tiles = tiles_abreast(n_limbs);
    const std::int64_t n_groups = groups_of(task.weights.n_inputs), tile_stride = n_groups * 4 * tile_chains;
    for (std::int64_t u = 0; u < task.n_units; u += abreast) {
        const auto* const weights =
            static_cast<const std::int8_t*>(task.weights.data) + (task.first_unit + u) * n_groups * 4 * n_limbs;
        for (std::int64_t tile = 0; tile < task.n_tiles;) {
            const auto* const states = static_cast<const std::int8_t*>(task.states) + tile * tile_stride;
            std::int32_t* const out = task.sums + (tile * panel_units + u) * tile_chains;
            if (task.n_tiles - tile >= tiles) {
                sum_tiles<n_limbs, tiles>(weights, n_groups, states, tile_stride, out);
                tile += tiles;
            } else {
                sum_tiles<n_limbs, 1>(weights, n_groups, states, tile_stride, out);
                ++tile;
            }
        }
    }
}

void sums(const SumTask& task) {
    switch (task.weights.n_limbs) {
    case 1:
        return sums_of<1>(task);
    case 2:
        return sums_of<2>(task);
    default:
        return sums_of<3>(task);
    }
}

std::size_t spread_bytes(std::int64_t n_inputs) {
    return static_cast<std::size_t>(groups_of(n_inputs) * 4 * tile_chains);
}

void spread(const std::uint32_t* words, std::int64_t n_inputs, void* out) {
    spread_bits(words, n_inputs, word_units, out);
}

} // namespace

const Kernels vnni_kernels = kernels_with<Avx512>(Format::limbs, spread_bytes, spread, no_bytes, sums, count_pairs);

} // namespace pearlite::models::rbm_kernels
