/// Plain C++: the weights of a unit are added where its bit is set, by a mask.

#include "models/rbm/kernels/lanes_plain.hpp"
#include "models/rbm/kernels/pair_counts.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

constexpr std::int64_t abreast = 4; // output units at a time

/// Sums of `abreast` units of a tile, from their weights [group of four inputs][unit][4].
void sum_tile(const std::int32_t* weights, std::int64_t n_words, const std::uint32_t* words, std::int32_t* out) {
    using S8 = Plain::S8;
    S8 sum[abreast][2] = {};
    for (std::int64_t w = 0; w < n_words; ++w) {
        const Plain::I word = Plain::load_word(words + w * tile_chains);
        for (int group = 0; group < 8; ++group, weights += 4 * abreast)
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                // The unit's bit comes first, as the sign.
                const S8 on[2] = {reinterpret_cast<S8>(word.part[0] << (31 - 4 * group - k)) >> 31,
                                  reinterpret_cast<S8>(word.part[1] << (31 - 4 * group - k)) >> 31};
#pragma GCC unroll 4
                for (int u = 0; u < abreast; ++u) {
                    sum[u][0] += on[0] & weights[4 * u + k];
                    sum[u][1] += on[1] & weights[4 * u + k];
                }
            }
    }
    std::memcpy(out, sum, sizeof sum);
}

void sums(const SumTask& task) {
    const std::int64_t n_words = (task.weights.n_inputs + word_units - 1) / word_units;
    const auto* const weights = static_cast<const std::int32_t*>(task.weights.data);
    const auto* const words = static_cast<const std::uint32_t*>(task.states);
    for (std::int64_t u = 0; u < task.n_units; u += abreast)
        for (std::int64_t tile = 0; tile < task.n_tiles; ++tile)
            sum_tile(weights + (task.first_unit + u) * n_words * word_units, n_words,
                     words + tile * n_words * tile_chains, task.sums + (tile * panel_units + u) * tile_chains);
}

/// Bits of bytes as sums of neighbours: of two, of four, of eight.
struct PlainBits {
    using V = Plain::I8;
    static constexpr std::int64_t columns = 8;

    static V zero() { return V{}; }
    static V load_both(const std::uint32_t* from, std::uint32_t word) {
        return *reinterpret_cast<const Plain::I8InMemory*>(from) & word;
    }
    static V bits_of_bytes(V x) {
        x -= x >> 1 & 0x55555555u;
        x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
        return (x + (x >> 4)) & 0x0f0f0f0fu;
    }
    static V add_bytes(V a, V b) { return a + b; } // none carries
    static V sums_of_bytes(V x) {
        x = (x & 0x00ff00ffu) + (x >> 8 & 0x00ff00ffu);
        return (x & 0xffffu) + (x >> 16);
    }
    static V add(V a, V b) { return a + b; }
    static V multiply(V a, std::int32_t factor) { return a * static_cast<std::uint32_t>(factor); }
    static void store(std::int32_t* to, V x) { std::memcpy(to, &x, sizeof x); }
};

} // namespace

const Kernels portable_kernels =
    kernels_with<Plain>(Format::integers, no_bytes, nullptr, no_bytes, sums, count_pairs_by<PlainBits>);

} // namespace pearlite::models::rbm_kernels
