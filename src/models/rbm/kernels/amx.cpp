/// Products of tiles of 16 x 64 bytes of weights, limb by limb, with 64 x 16 bytes of states (tdpbssd).

#include "models/rbm/kernels/pair_counts_avx512.hpp"
#include "models/rbm/kernels/tile_sums.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

/// Tile registers, all of 16 rows of 64 bytes. In assembly, since the compiler's functions take literal numbers alone.
struct CpuTiles {
    template <int tile>
    [[gnu::always_inline]] static void zero() {
        asm volatile("tilezero %%tmm%c0" : : "i"(tile));
    }
    template <int tile>
    [[gnu::always_inline]] static void load(const void* from) {
        asm volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(tile), "r"(from), "r"(std::int64_t{64}) : "memory");
    }
    template <int tile>
    [[gnu::always_inline]] static void store(void* to) {
        asm volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(tile), "r"(to), "r"(std::int64_t{64}) : "memory");
    }
    /// Adds the products of register 7 (weights) with register 6 (states).
    template <int tile>
    [[gnu::always_inline]] static void add_products() {
        asm volatile("tdpbssd %%tmm6, %%tmm7, %%tmm%c0" : : "i"(tile));
    }
};

struct TileShapes {
    alignas(64) std::uint8_t palette = 1;
    std::uint8_t start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileShapes) == 64);

/// In memory as a whole: g++ 12 believes that _tile_loadconfig reads the first eight bytes alone.
constexpr TileShapes shapes;

void join(const std::int32_t* limbs, int n_limbs, std::int32_t* out) {
    for (std::int64_t unit = 0; unit < 16; ++unit) {
        __m512i parts[3];
        for (std::int64_t limb = 0; limb < n_limbs; ++limb)
            parts[limb] = _mm512_load_si512(limbs + (limb * 16 + unit) * tile_chains);
        const __m512i sum = n_limbs == 1 ? joined<1>(parts) : n_limbs == 2 ? joined<2>(parts) : joined<3>(parts);
        _mm512_store_si512(out + unit * tile_chains, sum);
    }
}

void sums(const SumTask& task) {
    _tile_loadconfig(&shapes);
    switch (task.weights.n_limbs) {
    case 1:
        sum_by_tiles<CpuTiles, 1>(task, join);
        break;
    case 2:
        sum_by_tiles<CpuTiles, 2>(task, join);
        break;
    default:
        sum_by_tiles<CpuTiles, 3>(task, join);
    }
    _tile_release();
}

std::size_t spread_bytes(std::int64_t n_inputs) {
    return static_cast<std::size_t>((n_inputs + tile_inputs - 1) / tile_inputs * tile_bytes);
}

void spread(const std::uint32_t* words, std::int64_t n_inputs, void* out) {
    spread_bits(words, n_inputs, tile_inputs, out);
}

std::size_t scratch_bytes(std::int64_t) {
    return static_cast<std::size_t>(tile_chains * 16 * 3 * 2) * sizeof(std::int32_t);
}

} // namespace

const Kernels amx_kernels = kernels_with<Avx512>(Format::tiles, spread_bytes, spread, scratch_bytes, sums, count_pairs);

} // namespace pearlite::models::rbm_kernels
