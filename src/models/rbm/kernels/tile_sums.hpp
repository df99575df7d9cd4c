#pragma once
/// The loop over products of tiles: 16 output units x 64 inputs of weights times 64 inputs x 16 chains of states. Tiles
/// are the CPU's (amx.cpp), or a model of them in plain C++, by which a test proves the loop without such a CPU.

#include "models/rbm/kernels/kernels.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

inline constexpr std::int64_t tile_inputs = 64, tile_bytes = 1024;

/// Sums of 16 output units of n_tiles (1 or 2) tiles of chains by limb: out[tile][limb][unit][lane]. Registers 0 to 2
/// and 3 to 5 are the sums, 6 states, 7 weights.
template <class Tiles, int n_limbs, int n_tiles>
void multiply_tiles(const std::int8_t* weights, std::int64_t n_steps, const std::int8_t* states,
                    std::int64_t tile_stride, std::int32_t* out) {
    static_assert(n_limbs >= 1 && n_limbs <= 3 && n_tiles >= 1 && n_tiles <= 2);
    Tiles::template zero<0>();
    if constexpr (n_limbs > 1)
        Tiles::template zero<1>();
    if constexpr (n_limbs > 2)
        Tiles::template zero<2>();
    if constexpr (n_tiles > 1) {
        Tiles::template zero<3>();
        if constexpr (n_limbs > 1)
            Tiles::template zero<4>();
        if constexpr (n_limbs > 2)
            Tiles::template zero<5>();
    }
    for (std::int64_t step = 0; step < n_steps; ++step, weights += n_limbs * tile_bytes, states += tile_bytes) {
        Tiles::template load<6>(states);
        Tiles::template load<7>(weights);
        Tiles::template add_products<0>();
        if constexpr (n_limbs > 1) {
            Tiles::template load<7>(weights + tile_bytes);
            Tiles::template add_products<1>();
        }
        if constexpr (n_limbs > 2) {
            Tiles::template load<7>(weights + 2 * tile_bytes);
            Tiles::template add_products<2>();
        }
        if constexpr (n_tiles > 1) { // the limbs in the opposite order: the last one is there
            Tiles::template load<6>(states + tile_stride);
            Tiles::template add_products<2 + n_limbs>();
            if constexpr (n_limbs > 2) {
                Tiles::template load<7>(weights + tile_bytes);
                Tiles::template add_products<4>();
            }
            if constexpr (n_limbs > 1) {
                Tiles::template load<7>(weights);
                Tiles::template add_products<3>();
            }
        }
    }
    constexpr std::int64_t size = 16 * tile_chains;
    Tiles::template store<0>(out);
    if constexpr (n_limbs > 1)
        Tiles::template store<1>(out + size);
    if constexpr (n_limbs > 2)
        Tiles::template store<2>(out + 2 * size);
    if constexpr (n_tiles > 1) {
        out += n_limbs * size;
        Tiles::template store<3>(out);
        if constexpr (n_limbs > 1)
            Tiles::template store<4>(out + size);
        if constexpr (n_limbs > 2)
            Tiles::template store<5>(out + 2 * size);
    }
}

/// The sums of a task, the products by Tiles; `join` puts the sums of limbs together: (limbs, n_limbs, out) for one
/// tile of chains and 16 units.
template <class Tiles, int n_limbs, class Join>
void sum_by_tiles(const SumTask& task, Join join) {
    const std::int64_t n_steps = (task.weights.n_inputs + tile_inputs - 1) / tile_inputs;
    const std::int64_t tile_stride = n_steps * tile_bytes;
    auto* const limbs = static_cast<std::int32_t*>(task.scratch);
    for (std::int64_t u = 0; u < task.n_units; u += 16) {
        const auto* const weights = static_cast<const std::int8_t*>(task.weights.data) +
                                    (task.first_unit + u) / 16 * n_steps * n_limbs * tile_bytes;
        for (std::int64_t tile = 0; tile < task.n_tiles; tile += 2) {
            const auto* const states = static_cast<const std::int8_t*>(task.states) + tile * tile_stride;
            std::int32_t* const out = task.sums + (tile * panel_units + u) * tile_chains;
            if (task.n_tiles - tile > 1) {
                multiply_tiles<Tiles, n_limbs, 2>(weights, n_steps, states, tile_stride, limbs);
                join(limbs, n_limbs, out);
                join(limbs + 16 * tile_chains * n_limbs, n_limbs, out + panel_units * tile_chains);
            } else {
                multiply_tiles<Tiles, n_limbs, 1>(weights, n_steps, states, tile_stride, limbs);
                join(limbs, n_limbs, out);
            }
        }
    }
}

} // namespace

} // namespace pearlite::models::rbm_kernels
