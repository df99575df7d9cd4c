/// Every path of the RBM's kernels that this machine has against scalar code, bit for bit; the tile products of the amx
/// path by a model of the tile registers; the functions of units against long double.

#include "models/rbm/kernels/tile_sums.hpp"
#include "models/rbm/layer.hpp"
#include "models/rbm_kernels_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace pearlite::models::rbm_kernels {
namespace {

struct Shape {
    Index n_outputs, n_inputs, n_tiles;
};

constexpr Shape shapes[] = {{500, 784, 1}, {784, 500, 3}, {16, 37, 2},   {3, 5, 1},
                            {65, 33, 5},   {1, 1, 4},     {130, 260, 7}, {20, 2000, 9}};

/// Runs a task panel by panel; `states` as the kernels want them.
template <class Sums>
std::vector<std::int32_t> all_sums(const Shape& shape, SumTask task, Sums sums) {
    Aligned<std::int32_t> panel(static_cast<std::size_t>(shape.n_tiles * panel_units * tile_chains));
    std::vector<std::int32_t> result(static_cast<std::size_t>(shape.n_outputs * shape.n_tiles * tile_chains));
    task.sums = panel.data();
    task.n_tiles = shape.n_tiles;
    for (Index first = 0; first < shape.n_outputs; first += panel_units) {
        task.first_unit = first;
        task.n_units = padded(std::min(panel_units, shape.n_outputs - first));
        sums(task);
        for (Index tile = 0; tile < shape.n_tiles; ++tile)
            for (Index u = 0; u < std::min(panel_units, shape.n_outputs - first); ++u)
                for (Index lane = 0; lane < tile_chains; ++lane)
                    result[at(((first + u) * shape.n_tiles + tile) * tile_chains + lane)] =
                        panel[at((tile * panel_units + u) * tile_chains + lane)];
    }
    return result;
}

std::vector<std::int32_t> plain_sums(const Shape& shape, const IntegerWeights& weights, const std::uint32_t* words) {
    std::vector<std::int32_t> result;
    for (Index u = 0; u < shape.n_outputs; ++u)
        for (Index chain = 0; chain < shape.n_tiles * tile_chains; ++chain)
            result.push_back(static_cast<std::int32_t>(oracle::sum(weights, words, u, chain)));
    return result;
}

std::vector<std::int32_t> kernel_sums(const Kernels& kernels, const Shape& shape, const IntegerWeights& weights,
                                      const Aligned<std::uint32_t>& words) {
    const auto packed = pack(weights, kernels.format);
    const std::size_t state_bytes = kernels.spread_bytes(shape.n_inputs);
    Aligned<std::byte> states(at(shape.n_tiles) * state_bytes), scratch(kernels.scratch_bytes(shape.n_inputs));
    const std::size_t n_words = words.size() / at(shape.n_tiles);
    if (state_bytes > 0)
        for (std::size_t tile = 0; tile < at(shape.n_tiles); ++tile)
            kernels.spread(words.data() + tile * n_words, shape.n_inputs, states.data() + tile * state_bytes);
    SumTask task;
    task.weights = {packed.data(), shape.n_inputs, shape.n_outputs, weights.n_limbs};
    task.states = state_bytes > 0 ? static_cast<const void*>(states.data()) : words.data();
    task.scratch = scratch.data();
    return all_sums(shape, task, kernels.sums);
}

TEST(RbmKernels, SumsAreExactOnEveryPath) {
    for (const simd::Path path : simd::available_paths())
        for (const Shape& shape : shapes)
            for (const Index n_limbs : {3, 2, 1}) {
                const auto words = oracle::random_words(shape.n_inputs, shape.n_tiles, 3);
                auto weights = oracle::integer_weights(shape.n_outputs, shape.n_inputs, n_limbs, 5);
                const auto expected = plain_sums(shape, weights, words.data());
                EXPECT_EQ(kernel_sums(kernels_of(path), shape, weights, words), expected)
                    << name_of(path) << " " << shape.n_outputs << " x " << shape.n_inputs << " " << n_limbs;
                weights.digits.reverseInPlace(); // the wrong twin
                if (shape.n_outputs > 1) {
                    EXPECT_NE(kernel_sums(kernels_of(path), shape, weights, words), expected);
                }
            }
}

/// Tile registers of 16 rows of 64 bytes, as Intel's manual has tileloadd, tdpbssd and tilestored.
struct ModelTiles {
    static inline std::int32_t registers[8][16][16];

    template <int tile>
    static void zero() {
        std::memset(registers[tile], 0, sizeof registers[tile]);
    }
    template <int tile>
    static void load(const void* from) {
        std::memcpy(registers[tile], from, sizeof registers[tile]);
    }
    template <int tile>
    static void store(void* to) {
        std::memcpy(to, registers[tile], sizeof registers[tile]);
    }
    template <int tile>
    static void add_products() {
        const auto byte = [](std::int32_t word, int i) {
            return static_cast<std::int32_t>(static_cast<std::int8_t>(static_cast<std::uint32_t>(word) >> (8 * i)));
        };
        for (int m = 0; m < 16; ++m)
            for (int k = 0; k < 16; ++k)
                for (int n = 0; n < 16; ++n)
                    for (int i = 0; i < 4; ++i)
                        registers[tile][m][n] += byte(registers[7][m][k], i) * byte(registers[6][k][n], i);
    }
};

void join_limbs(const std::int32_t* limbs, int n_limbs, std::int32_t* out) {
    for (Index i = 0; i < 16 * tile_chains; ++i) {
        std::uint32_t sum = 0;
        for (int limb = 0; limb < n_limbs; ++limb)
            sum = sum * 256 + static_cast<std::uint32_t>(limbs[limb * 16 * tile_chains + i]);
        out[i] = static_cast<std::int32_t>(sum);
    }
}

/// The amx path's loop with the model of its registers.
template <class Tiles>
std::vector<std::int32_t> modelled_sums(const Shape& shape, const IntegerWeights& weights,
                                        const Aligned<std::uint32_t>& words) {
    const Index n_words = (shape.n_inputs + 31) / 32, n_padded = (shape.n_inputs + 63) / 64 * 64;
    Aligned<std::int8_t> states(at(shape.n_tiles * n_padded * tile_chains));
    for (Index tile = 0; tile < shape.n_tiles; ++tile)
        for (Index k = 0; k < shape.n_inputs; ++k)
            for (Index lane = 0; lane < tile_chains; ++lane)
                states[at(tile * n_padded * tile_chains + (k / 4 * tile_chains + lane) * 4 + k % 4)] =
                    static_cast<std::int8_t>(words[at((tile * n_words + k / 32) * tile_chains + lane)] >> (k % 32) & 1);
    const auto packed = pack(weights, Format::tiles);
    Aligned<std::int32_t> scratch(at(2 * 3 * 16 * tile_chains));
    SumTask task;
    task.weights = {packed.data(), shape.n_inputs, shape.n_outputs, weights.n_limbs};
    task.states = states.data();
    task.scratch = scratch.data();
    return all_sums(shape, task, [](const SumTask& part) {
        switch (part.weights.n_limbs) {
        case 1:
            return sum_by_tiles<Tiles, 1>(part, join_limbs);
        case 2:
            return sum_by_tiles<Tiles, 2>(part, join_limbs);
        default:
            return sum_by_tiles<Tiles, 3>(part, join_limbs);
        }
    });
}

/// Weights taken for unsigned bytes.
struct UnsignedTiles : ModelTiles {
    template <int tile>
    static void add_products() {
        for (int m = 0; m < 16; ++m)
            for (int k = 0; k < 16; ++k)
                for (int n = 0; n < 16; ++n)
                    for (int i = 0; i < 4; ++i)
                        registers[tile][m][n] +=
                            (registers[7][m][k] >> (8 * i) & 255) * (registers[6][k][n] >> (8 * i) & 255);
    }
};

TEST(RbmKernels, TileLoopIsExactWithAModelOfTheRegisters) {
    for (const Shape& shape : shapes)
        for (const Index n_limbs : {3, 2, 1}) {
            const auto words = oracle::random_words(shape.n_inputs, shape.n_tiles, 3);
            const auto weights = oracle::integer_weights(shape.n_outputs, shape.n_inputs, n_limbs, 5);
            const auto expected = plain_sums(shape, weights, words.data());
            EXPECT_EQ(modelled_sums<ModelTiles>(shape, weights, words), expected) << shape.n_outputs << " " << n_limbs;
            if (shape.n_outputs > 1) {
                EXPECT_NE(modelled_sums<UnsignedTiles>(shape, weights, words), expected);
            }
        }
}

TEST(RbmKernels, RoundedWeightsAreWithinHalfAUnitAndCannotOverflow) {
    for (const auto& [n_outputs, n_inputs] : {std::pair<Index, Index>{5, 784}, {3, 40000}, {4, 1}}) {
        Matrix weights = Matrix::Random(n_outputs, n_inputs);
        weights.row(1).setConstant(-0.37);
        weights.row(2).setZero();
        const IntegerWeights rounded = round_by_output(weights);
        EXPECT_EQ(rounded.scale[2], 0);
        for (Index u = 0; u < n_outputs; ++u) {
            const auto digits = rounded.digits.row(u).cast<double>();
            EXPECT_LE((rounded.scale[u] * digits - weights.row(u)).cwiseAbs().maxCoeff(), 0.5000001 * rounded.scale[u]);
            EXPECT_LE(digits.cwiseAbs().maxCoeff(), 8355711);
            EXPECT_LT(digits.cwiseAbs().sum(), 0x1p31);
        }
        EXPECT_LE(rounded.scale[0], std::max(1.0 / 8355711, static_cast<double>(n_inputs) * 0x1p-31) * 1.0001);
    }
}

TEST(RbmKernels, FieldsAndSumsOfUnitsHaveTheBitsOfScalarCode) {
    for (const simd::Path path : simd::available_paths())
        for (const std::int64_t n : {1, 2, 7, 52, 64}) {
            const Kernels& kernels = kernels_of(path);
            const auto c = oracle::numbers(n, 1);
            const float scale = -0.7213f;
            Statistics statistics, of_step;
            kernels.statistics(c.data(), n, scale, statistics);
            Aligned<float> column(64), step(16), stepped = c;
            Aligned<std::int32_t> sums(c.size());
            for (std::size_t i = 0; i < 64; ++i)
                column[i] = std::sin(static_cast<float>(i));
            for (std::size_t lane = 0; lane < 16; ++lane)
                step[lane] = static_cast<float>(lane % 3) - 1;
            kernels.statistics_of_step(c.data(), column.data(), step.data(), n, of_step);
            kernels.step(stepped.data(), column.data(), step.data(), n);
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] = static_cast<std::int32_t>(2654435761u * (i + 1));
            Aligned<float> fields(c.size()), on(16), on_by_lane(16);
            const auto words = oracle::random_words(n, 1, 7);
            kernels.sum_on(words.data(), column.data(), false, n, on.data());
            kernels.sum_on(words.data(), c.data(), true, n, on_by_lane.data());
            kernels.fields(sums.data(), n, column.data(), c.data(), fields.data());
            for (std::size_t lane = 0; lane < 16; ++lane) {
                float positive = 0, slope = 0, factors = 1, step_positive = 0, step_factors = 1;
                float sum = 0, sum_by_lane = 0;
                for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                    const float x = c[i * 16 + lane], e = oracle::power_of_two(std::fabs(x) * scale);
                    positive += x > 0 ? x : 0.0f;
                    slope += (x > 0 ? 1.0f : e) * x / (1.0f + e);
                    factors *= 1.0f + e;
                    if ((words[i / 32 * 16 + lane] >> (i % 32) & 1) != 0) {
                        sum += column[i];
                        sum_by_lane += x;
                    }
                    const float y = std::fma(step[lane], column[i], x);
                    EXPECT_EQ(stepped[i * 16 + lane], y);
                    step_positive += y > 0 ? y : 0.0f;
                    step_factors *= 1.0f + oracle::power_of_two(std::fabs(y) * -0x1.715476p+0f);
                    EXPECT_EQ(fields[i * 16 + lane],
                              std::fma(static_cast<float>(sums[i * 16 + lane]), column[i], c[i]));
                }
                EXPECT_EQ(statistics.positive[lane], positive) << name_of(path) << " " << n << " " << lane;
                EXPECT_EQ(statistics.slope[lane], slope) << name_of(path) << " " << n << " " << lane;
                EXPECT_EQ(statistics.factors[lane], factors) << name_of(path) << " " << n << " " << lane;
                EXPECT_EQ(on[lane], sum) << name_of(path) << " " << n << " " << lane;
                EXPECT_EQ(on_by_lane[lane], sum_by_lane) << name_of(path) << " " << n << " " << lane;
                EXPECT_EQ(of_step.positive[lane], step_positive) << name_of(path);
                EXPECT_EQ(of_step.factors[lane], step_factors) << name_of(path);
            }
        }
}

TEST(RbmKernels, DrawsAreThoseOfScalarCode) {
    std::int64_t n_draws = 0;
    for (const simd::Path path : simd::available_paths())
        for (std::uint32_t repeat = 0; repeat < 300; ++repeat) {
            const std::int64_t n = repeat < 40 ? repeat + 1 : 64;
            const float scale = repeat == 0 ? 0.0f : -1.4427f;
            auto x = oracle::numbers(n, repeat);
            const DrawStreams streams = oracle::streams_of(repeat, 64 * (repeat % 3));
            Aligned<std::uint32_t> words(32, ~0u);
            Aligned<float> factors(16);
            kernels_of(path).draw({x.data(), n, scale, &streams, words.data(), factors.data()});
            for (std::int64_t lane = 0; lane < 16; ++lane) {
                float product = 1;
                for (std::int64_t i = 0; i < n; ++i) {
                    const float at_unit = x[at(i * 16 + lane)];
                    product *= 1.0f + oracle::power_of_two(std::fabs(at_unit) * scale);
                    const bool is_on = (words[at(i / 32 * 16 + lane)] >> (i % 32) & 1) != 0;
                    ASSERT_EQ(is_on, oracle::draw(at_unit, scale, streams, i, lane)) << name_of(path) << " " << i;
                    ++n_draws;
                }
                ASSERT_EQ(factors[at(lane)], product) << name_of(path);
                for (std::int64_t i = n; i < (n + 31) / 32 * 32; ++i)
                    ASSERT_EQ(words[at(i / 32 * 16 + lane)] >> (i % 32) & 1, 0u);
            }
        }
    EXPECT_GT(n_draws, 200000); // of which some three on each path were ties
}

/// The distance in units in the last place of a float.
long double ulps(float value, long double exact) {
    const float next = std::nextafter(std::fabs(static_cast<float>(exact)), INFINITY);
    return std::fabs((static_cast<long double>(value) - exact) /
                     (static_cast<long double>(next) - std::fabs(static_cast<long double>(static_cast<float>(exact)))));
}

TEST(RbmKernels, ExponentialsAreWithinTwoUlpOfLongDouble) {
    // The function 2^t has an error of one ulp; t itself is exact here. 1 + e rounds once more.
    long double worst = 0, worst_factor = 0, worst_slope = 0;
    for (int i = 0; i <= 400000; ++i) {
        const float t = -static_cast<float>(i) * 0x1p-12f; // to -97.7
        const long double exact = std::exp2(static_cast<long double>(t));
        worst = std::max(worst, ulps(oracle::power_of_two(t), exact));
        if (i % 16 == 0) {
            Aligned<float> c(16, -t);
            Statistics statistics;
            kernels_of(simd::chosen_path().path).statistics(c.data(), 1, -1.0f, statistics);
            worst_factor = std::max(worst_factor, ulps(statistics.factors[0], 1 + exact));
            worst_slope = std::max(worst_slope, ulps(statistics.slope[0], static_cast<long double>(-t) / (1 + exact)));
        }
    }
    // Measured: 0.86, 0.79, 1.42.
    EXPECT_LE(worst, 1.0);
    EXPECT_LE(worst_factor, 1.0);
    EXPECT_LE(worst_slope, 2.0);
    EXPECT_EQ(oracle::power_of_two(0), 1.0f);
    EXPECT_EQ(oracle::power_of_two(-1000), oracle::power_of_two(-125));
}

TEST(RbmKernels, DrawsAreThoseOfLongDoubleButForRounding) {
    // A unit is on if a uniform number, of which the stream's 16 bits are the first, is below the probability. With
    // errors of a few 2^-24 of the probability, one draw in some 10^7 may differ.
    std::int64_t n_on = 0, n_different = 0;
    for (std::uint32_t repeat = 0; repeat < 400; ++repeat) {
        auto x = oracle::numbers(64, repeat);
        const DrawStreams streams = oracle::streams_of(repeat, 0);
        Aligned<std::uint32_t> words(32);
        Aligned<float> factors(16);
        kernels_of(simd::chosen_path().path).draw({x.data(), 64, -1.44269504f, &streams, words.data(), factors.data()});
        for (std::int64_t lane = 0; lane < 16; ++lane)
            for (std::int64_t i = 0; i < 64; ++i) {
                const auto words_at = [&](std::uint32_t counter) {
                    return random::generate({counter, streams.step, streams.id[lane], streams.purpose_and_id[lane]},
                                            oracle::seed_of(streams));
                };
                const std::uint32_t word = words_at(static_cast<std::uint32_t>(i / 8))[at(i % 8 / 2)];
                const auto more = words_at((1u << 29) + static_cast<std::uint32_t>(i));
                const long double u =
                    ((more[1] * 0x1p-32L + more[0]) * 0x1p-32L + (i % 2 != 0 ? word >> 16 : word & 0xffffu)) * 0x1p-16L;
                const bool expected = u < 1 / (1 + std::exp(-static_cast<long double>(x[at(i * 16 + lane)])));
                const bool is_on = (words[at(i / 32 * 16 + lane)] >> (i % 32) & 1) != 0;
                n_on += is_on ? 1 : 0;
                n_different += is_on != expected ? 1 : 0;
            }
    }
    EXPECT_LE(n_different, 1);
    EXPECT_GT(n_on, 100000); // of 409600
}

TEST(RbmKernels, SumsOfSoftplusAreWithinTheRoundingOfTheirFactors) {
    const auto c = oracle::numbers(64, 9);
    Statistics statistics;
    kernels_of(simd::chosen_path().path).statistics(c.data(), 64, -0.72134752f, statistics);
    for (std::size_t lane = 0; lane < 16; ++lane) {
        long double exact = 0;
        for (std::size_t i = 0; i < 64; ++i)
            exact += std::log1p(std::exp2(-0.72134752f * std::fabs(static_cast<long double>(c[i * 16 + lane]))));
        EXPECT_NEAR(static_cast<double>(std::log(static_cast<long double>(statistics.factors[lane])) - exact), 0,
                    64 * 0x1p-24);
    }
}

} // namespace
} // namespace pearlite::models::rbm_kernels
