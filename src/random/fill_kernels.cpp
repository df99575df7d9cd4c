// Draws by the block, compiled for several instruction sets.
#include "random/fill_kernels.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "random/philox_kernels.hpp"
#include "simd/arithmetic.hpp"
#include "simd/scalar.hpp"
#include "simd/scalar_float.hpp"

#include <cstring>

namespace pearlite::random {

namespace {

using simd::natural_log;
using simd::uniform53;

/// Words in work at a time: few enough to stay in the first-level cache together with the numbers made of them.
constexpr std::size_t chunk_words = 2048;

/// Cuts elements 0 .. size-1 into chunks, makes the words of each, Halves 16-bit halves per element and whole counters,
/// and calls transform(words, first element, count). Chunks hold an even number of elements. The loops in the
/// transforms leave vector and scalar code to the compiler: simd/scalar.hpp has the reason why both give the same bits.
/// The first counter is `skipped`.
template <std::size_t Halves, class Transform>
void by_chunks(const Address& address, std::size_t size, Transform transform, std::uint64_t skipped = 0) {
    constexpr std::size_t chunk = 2 * chunk_words / Halves;
    PEARLITE_EXPECTS(size <= stream_words / Halves * 2);
    alignas(64) std::uint32_t words[chunk_words];
    Counter counter = address.counter();
    counter[0] = static_cast<std::uint32_t>(skipped);
    for (std::size_t first = 0; first < size; first += chunk) {
        const std::size_t count = std::min(chunk, size - first);
        const std::size_t n_counters = (count * Halves + 7) / 8;
        random::fill(counter, address.seed, {words, 4 * n_counters});
        counter[0] += static_cast<std::uint32_t>(n_counters);
        transform(words, first, count);
    }
}

std::uint64_t word_pair(const std::uint32_t* words) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, words, sizeof bits);
    return bits;
}

/// Normals from words: pair j of counter j, its first two words for the radius, the others for the angle.
void box_muller(const std::uint32_t* words, double* out, std::size_t count) {
    double radius[chunk_words / 4];
    const std::size_t n_whole = count / 2, n_radii = (count + 1) / 2;
    for (std::size_t j = 0; j < n_radii; ++j)
        radius[j] = -2 * natural_log(uniform53(word_pair(words + 4 * j)));
    simd::square_roots(radius, n_radii);
    for (std::size_t j = 0; j < n_whole; ++j) {
        const auto angle = simd::cosine_sine_2pi(uniform53(word_pair(words + 4 * j + 2)));
        out[2 * j] = radius[j] * angle.cosine;
        out[2 * j + 1] = radius[j] * angle.sine;
    }
    if (n_radii > n_whole)
        out[2 * n_whole] =
            radius[n_whole] * simd::cosine_sine_2pi(uniform53(word_pair(words + 4 * n_whole + 2))).cosine;
}

/// An element whose 16 bits did not decide: 65536 p - half in (0, 1), or p is no number.
bool settle_tie(const Address& address, std::size_t i, float probability, std::uint16_t half) {
    if (std::isnan(probability))
        throw NumericalError("fill_bernoulli: the probability of element " + std::to_string(i) + " is not a number");
    Counter counter = address.counter();
    counter[0] = (std::uint32_t{1} << 29) + static_cast<std::uint32_t>(i / 4);
    const std::uint32_t word = generate(counter, address.seed)[i % 4];
    const double fraction = static_cast<double>(probability) * 65536 - half;
    return word < fraction * 0x1p32;
}

/// 1 where 65536 p - half >= 1, 0 where it is <= 0; returns how many are neither. The rounding of the difference cannot
/// change the answer: between 0 and 1 it is exact (Sterbenz 1974), elsewhere rounding keeps the order.
template <class T>
std::size_t decide(const std::uint16_t* halves, const float* probabilities, T* out, std::size_t count) {
    std::int32_t undecided = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float excess = probabilities[i] * 65536 - static_cast<float>(static_cast<std::int32_t>(halves[i]));
        const std::int32_t one = excess >= 1 ? 1 : 0;
        out[i] = static_cast<T>(one);
        undecided += (excess <= 0 ? 0 : 1) - one;
    }
    return static_cast<std::size_t>(undecided);
}

/// Elements that are decided together, then searched if one of them is tied: of 256, one group in 256 is.
constexpr std::size_t bernoulli_group = 256;

template <class T>
void draw_bernoulli(const Address& address, std::span<const float> probabilities, std::span<T> out) {
    PEARLITE_EXPECTS(probabilities.size() == out.size());
    PEARLITE_EXPECTS(out.size() <= std::uint64_t{1} << 32); // beyond it words would meet the words that settle ties
    by_chunks<1>(address, out.size(), [&](const std::uint32_t* words, std::size_t first, std::size_t count) {
        for (std::size_t group = 0; group < count; group += bernoulli_group) {
            const std::size_t n = std::min(bernoulli_group, count - group);
            std::uint16_t halves[bernoulli_group];
            std::memcpy(halves, words + group / 2, n * sizeof *halves);
            const float* const p = probabilities.data() + first + group;
            T* const to = out.data() + first + group;
            if (decide(halves, p, to, n) == 0)
                continue;
            for (std::size_t i = 0; i < n; ++i) {
                const float excess = p[i] * 65536 - static_cast<float>(halves[i]);
                if (!(excess <= 0) && !(excess >= 1))
                    to[i] = settle_tie(address, first + group + i, p[i], halves[i]) ? 1 : 0;
            }
        }
    });
}

} // namespace

template <class Instructions>
void Fills<Instructions>::bits(const Address& address, std::span<std::uint32_t> out) {
    PEARLITE_EXPECTS(out.size() <= stream_words);
    random::fill(address.counter(), address.seed, out);
}

template <class Instructions>
void Fills<Instructions>::uniform(const Address& address, std::span<float> out) {
    by_chunks<2>(address, out.size(), [&](const std::uint32_t* words, std::size_t first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            out[first + i] = simd::uniform24(words[i]);
    });
}

template <class Instructions>
void Fills<Instructions>::uniform(const Address& address, std::span<double> out) {
    by_chunks<4>(address, out.size(), [&](const std::uint32_t* words, std::size_t first, std::size_t count) {
        double* const to = out.data() + first;
        for (std::size_t i = 0; i < count; ++i)
            to[i] = uniform53(word_pair(words + 2 * i));
    });
}

template <class Instructions>
void Fills<Instructions>::normal(const Address& address, std::uint64_t first, std::span<double> out) {
    PEARLITE_EXPECTS(first % 2 == 0 && first <= stream_words / 2 && out.size() <= stream_words / 2 - first);
    const auto make = [&](const std::uint32_t* words, std::size_t from, std::size_t count) {
        box_muller(words, out.data() + from, count);
    };
    by_chunks<4>(address, out.size(), make, first / 2);
}

template <class Instructions>
void Fills<Instructions>::exponential(const Address& address, std::span<double> out) {
    by_chunks<4>(address, out.size(), [&](const std::uint32_t* words, std::size_t first, std::size_t count) {
        double* const to = out.data() + first;
        for (std::size_t i = 0; i < count; ++i)
            to[i] = -natural_log(uniform53(word_pair(words + 2 * i)));
    });
}

template <class Instructions>
void Fills<Instructions>::bernoulli(const Address& address, std::span<const float> probabilities,
                                    std::span<float> out) {
    draw_bernoulli(address, probabilities, out);
}

template <class Instructions>
void Fills<Instructions>::bernoulli(const Address& address, std::span<const float> probabilities,
                                    std::span<std::int8_t> out) {
    draw_bernoulli(address, probabilities, out);
}

namespace {

constexpr std::size_t half = normal_group / 2;
/// Groups in work at a time: words and normals stay in the first-level cache.
constexpr std::size_t chunk_groups = 64;

/// Normals of whole groups from their words.
void box_muller(const std::uint32_t* words, float* out, std::size_t n_groups) {
    for (std::size_t g = 0; g < n_groups; ++g, words += normal_group, out += normal_group) {
        float radius[half];
        for (std::size_t j = 0; j < half; ++j)
            radius[j] = simd::minus_two_log(simd::uniform31(words[j]));
        simd::square_roots(radius, half);
        for (std::size_t j = 0; j < half; ++j) {
            const auto direction = simd::random_direction(words[half + j]);
            out[j] = radius[j] * direction.cosine;
            out[half + j] = radius[j] * direction.sine;
        }
    }
}

} // namespace

template <class Instructions>
void Fills<Instructions>::normal(const Address& address, std::uint64_t first, std::span<float> out) {
    PEARLITE_EXPECTS(first <= stream_words && out.size() <= stream_words - first);
    alignas(64) std::uint32_t words[chunk_groups * normal_group];
    Counter counter = address.counter();
    std::size_t done = 0;
    while (done < out.size()) {
        const std::uint64_t at = first + done;
        const std::size_t skipped = at % normal_group, left = out.size() - done;
        const std::size_t n_groups = std::min(chunk_groups, (skipped + left + normal_group - 1) / normal_group);
        counter[0] = static_cast<std::uint32_t>((at - skipped) / 4);
        random::fill(counter, address.seed, {words, n_groups * normal_group});
        const std::size_t count = std::min(left, n_groups * normal_group - skipped);
        if (count == n_groups * normal_group) {
            box_muller(words, out.data() + done, n_groups);
        } else {
            alignas(64) float normals[chunk_groups * normal_group];
            box_muller(words, normals, n_groups);
            std::copy_n(normals + skipped, count, out.data() + done);
        }
        done += count;
    }
}

template <class Instructions>
void Fills<Instructions>::words(Counter counter, Philox::Key key, std::span<std::uint32_t> out) {
    kernels::fill<kernels::Best>(counter, key, out);
}

template struct Fills<simd::Compiled>;

} // namespace pearlite::random
