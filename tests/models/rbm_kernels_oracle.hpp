#pragma once
/// The kernels of RBM layers for one unit of one chain, in scalar code: the same bits.

#include "models/rbm/kernels/weights.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace pearlite::models::rbm_kernels::oracle {

inline float power_of_two(float t) {
    t = t > -125.0f ? t : -125.0f;
    const float shifted = t + 0x1.8p23f;
    const float f = t - (shifted - 0x1.8p23f);
    float p = 0x1.41fbbcp-13f;
    for (const float c : {0x1.5f3e54p-10f, 0x1.3b2d4cp-7f, 0x1.c6aee8p-5f, 0x1.ebfbdcp-3f, 0x1.62e430p-1f, 1.0f})
        p = std::fma(p, f, c);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + (std::bit_cast<std::uint32_t>(shifted) << 23));
}

inline random::Seed seed_of(const DrawStreams& streams) {
    return {streams.seed[0] | std::uint64_t{streams.seed[1]} << 32,
            streams.by_ars ? random::Generator::ars : random::Generator::philox};
}

/// Whether a unit is on, given its place in the streams of its chain.
inline bool draw(float x, float scale, const DrawStreams& streams, std::int64_t unit, std::int64_t lane) {
    const std::uint32_t place = streams.first_unit + static_cast<std::uint32_t>(unit);
    const random::Seed seed = seed_of(streams);
    const auto words_at = [&](std::uint32_t counter) {
        return random::generate({counter, streams.step, streams.id[lane], streams.purpose_and_id[lane]}, seed);
    };
    const std::uint32_t word = words_at(place / 8)[place % 8 / 2];
    const auto random16 = static_cast<float>(place % 2 != 0 ? word >> 16 : word & 0xffffu);
    const float e = power_of_two(std::fabs(x) * scale), width = 1.0f + e;
    const float excess = std::fma(random16, width, -(x > 0 ? 1.0f : e) * 65536.0f);
    if (excess >= 0 || excess <= -width)
        return excess < 0;
    const auto more = words_at((std::uint32_t{1} << 29) + place);
    const double u = (more[0] + more[1] * 0x1p-32) * 0x1p-32;
    return static_cast<double>(excess) + u * static_cast<double>(width) < 0;
}

/// Random streams of a tile.
inline DrawStreams streams_of(std::uint32_t seed, std::uint32_t first_unit) {
    std::mt19937 generator(seed);
    DrawStreams streams{};
    streams.seed[0] = generator();
    streams.seed[1] = generator();
    streams.by_ars = seed % 2 != 0;
    streams.step = generator();
    streams.first_unit = first_unit;
    for (std::int64_t lane = 0; lane < tile_chains; ++lane) {
        streams.id[lane] = generator();
        streams.purpose_and_id[lane] = generator();
    }
    return streams;
}

/// Numbers of units of a tile: of all magnitudes, and some that are special.
inline Aligned<float> numbers(std::int64_t n_units, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    Aligned<float> x(static_cast<std::size_t>(n_units * tile_chains));
    for (float& value : x)
        value = normal(generator) * std::exp(3 * normal(generator));
    const float special[] = {0.0f, -0.0f, 1e-38f, -1e-38f, 87.0f, -87.0f, 1e4f, -1e4f, 1e30f, -1e30f};
    for (std::size_t i = 0; i < std::size(special) && 7 * i < x.size(); ++i)
        x[7 * i] = special[i];
    return x;
}

/// Weights of at most 8355711, 32639 or 127, by limbs, and some of each sign that reach them.
inline IntegerWeights integer_weights(Index n_outputs, Index n_inputs, Index n_limbs, std::uint32_t seed) {
    const std::int32_t largest = n_limbs == 3 ? 8355711 : n_limbs == 2 ? 32639 : 127;
    std::mt19937 generator(seed);
    std::uniform_int_distribution<std::int32_t> uniform(-largest, largest);
    IntegerWeights weights{IntegerWeights::Digits(n_outputs, n_inputs), Vector::Ones(n_outputs), n_limbs};
    for (auto& digit : weights.digits.reshaped()) {
        digit = uniform(generator);
        digit = digit % 5 == 0 ? largest : digit % 7 == 0 ? -largest : digit;
    }
    // Sums stay below 2^31: as weights are rounded.
    const std::int64_t most = n_inputs * std::int64_t{largest} / 0x7fffffff + 1;
    if (most > 1)
        for (auto& digit : weights.digits.reshaped())
            digit /= static_cast<std::int32_t>(most);
    return weights;
}

/// Words of random units of tiles; bits beyond n_units are zero.
inline Aligned<std::uint32_t> random_words(std::int64_t n_units, std::int64_t n_tiles, std::uint32_t seed) {
    std::mt19937 generator(seed);
    const std::int64_t n_words = (n_units + word_units - 1) / word_units;
    Aligned<std::uint32_t> words(static_cast<std::size_t>(n_words * n_tiles * tile_chains));
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::int64_t rest = n_units - static_cast<std::int64_t>(i) / tile_chains % n_words * word_units;
        words[i] = generator() & (rest >= word_units ? ~0u : (1u << rest) - 1);
    }
    return words;
}

/// The sum of an output of a chain.
inline std::int64_t sum(const IntegerWeights& weights, const std::uint32_t* words, Index output, Index chain) {
    const Index n_words = (weights.digits.cols() + word_units - 1) / word_units;
    std::int64_t result = 0;
    for (Index k = 0; k < weights.digits.cols(); ++k)
        if ((words[(chain / tile_chains * n_words + k / word_units) * tile_chains + chain % tile_chains] >>
                 (k % word_units) &
             1) != 0)
            result += weights.digits(output, k);
    return result;
}

} // namespace pearlite::models::rbm_kernels::oracle
