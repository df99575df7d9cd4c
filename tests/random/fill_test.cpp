#include "random/fill.hpp"

#include "pearlite/core/error.hpp"
#include "random/each_generator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace pearlite::random {
namespace {

using testing::each_generator;
using testing::EachGenerator;
using testing::generator_of_test;

/// Its seed has the generator under test.
Address address{.seed = 20, .purpose = Purpose::test, .id = 3, .step = 4};

class OfAddress : public EachGenerator {
    void SetUp() override {
        EachGenerator::SetUp();
        address.seed.generator = tested;
    }
};
class Fill : public OfAddress {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Fill, each_generator, generator_of_test);
class FillBernoulli : public OfAddress {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, FillBernoulli, each_generator, generator_of_test);

template <class T>
std::vector<std::uint8_t> bytes(std::span<const T> values) {
    std::vector<std::uint8_t> result(values.size_bytes());
    if (!values.empty())
        std::memcpy(result.data(), values.data(), result.size());
    return result;
}

/// Fills of every length 0 .. 100 and around the size of a chunk, at every alignment, are prefixes of the long fill,
/// bit for bit, and touch nothing beyond their end.
template <class T, class Fill>
void expect_prefixes(Fill fill) {
    constexpr std::size_t n_long = 9000;
    std::vector<T> expected(n_long);
    fill(std::span(expected));
    std::vector<std::size_t> lengths(101);
    for (std::size_t n = 0; n < lengths.size(); ++n)
        lengths[n] = n;
    for (const std::size_t chunk : {256u, 1024u, 2048u, 4096u})
        lengths.insert(lengths.end(), {chunk - 1, chunk, chunk + 1, chunk + 2, chunk + 17});
    for (const std::size_t n : lengths) {
        for (const std::size_t offset : {0u, 1u, 3u, 8u}) {
            constexpr T guard = 7;
            std::vector<T> values(offset + n + 1, guard);
            const auto part = std::span(values).subspan(offset, n);
            fill(part);
            ASSERT_EQ(bytes<T>(part), bytes<T>(std::span(expected).first(n))) << "length " << n << " offset " << offset;
            ASSERT_EQ(values.back(), guard);
        }
    }
}

/// Probabilities for elements 0 .. n-1 that do not depend on n; with every kind of value in them.
std::vector<float> mixed_probabilities(std::size_t n) {
    std::vector<float> p(n);
    fill_uniform({.seed = 99}, std::span<float>(p));
    for (std::size_t i = 0; i < n; i += 13)
        p[i] = i % 2 ? 0.0f : 1.0f;
    return p;
}

TEST_P(Fill, ElementsDoNotDependOnLengthOrAlignment) {
    expect_prefixes<std::uint32_t>([](std::span<std::uint32_t> out) { fill_bits(address, out); });
    expect_prefixes<float>([](std::span<float> out) { fill_uniform(address, out); });
    expect_prefixes<double>([](std::span<double> out) { fill_uniform(address, out); });
    expect_prefixes<double>([](std::span<double> out) { fill_normal(address, out); });
    expect_prefixes<double>([](std::span<double> out) { fill_exponential(address, out); });
    expect_prefixes<float>([](std::span<float> out) { fill_bernoulli(address, mixed_probabilities(out.size()), out); });
    expect_prefixes<std::int8_t>(
        [](std::span<std::int8_t> out) { fill_bernoulli(address, mixed_probabilities(out.size()), out); });
}

TEST_P(Fill, NormalsFromAnElementOnAreThoseOfTheWhole) {
    std::vector<double> all(5000);
    fill_normal(address, all);
    for (const std::size_t first : {2u, 1024u, 4998u}) {
        std::vector<double> rest(all.size() - first);
        fill_normal(address, first, rest);
        ASSERT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
    }
    EXPECT_THROW(fill_normal(address, 1, all), ContractViolation);
}

TEST_P(Fill, UniformsAreTheTopBitsOfTheirWords) {
    constexpr std::size_t n = 3000;
    std::vector<std::uint32_t> bits(2 * n);
    std::vector<float> floats(n);
    std::vector<double> doubles(n);
    fill_bits(address, bits);
    fill_uniform(address, std::span<float>(floats));
    fill_uniform(address, std::span<double>(doubles));
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(floats[i], std::ldexp(static_cast<float>(bits[i] >> 8), -24));
        const std::uint64_t pair = (static_cast<std::uint64_t>(bits[2 * i + 1]) << 32) | bits[2 * i];
        ASSERT_EQ(doubles[i], std::ldexp(static_cast<double>(pair >> 11), -53));
    }
}

/// FNV-1a over the bytes.
template <class T>
std::uint64_t digest(const std::vector<T>& values) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint8_t byte : bytes<T>(values))
        hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

/// Pinned numbers of a seed: the same in every build (optimised or not, AVX-512 or AVX2), in this version and the next.
TEST_P(Fill, KeepsItsBitsFromBuildToBuild) {
    constexpr std::size_t n = 5001;
    const bool by_ars = tested == Generator::ars;
    std::vector<float> floats(n);
    std::vector<double> doubles(n);
    std::vector<std::int8_t> small(n);
    fill_uniform(address, std::span<float>(floats));
    EXPECT_EQ(digest(floats), by_ars ? 0x95db10c19039d61au : 0xa974dbd169446556u);
    fill_uniform(address, std::span<double>(doubles));
    EXPECT_EQ(digest(doubles), by_ars ? 0xae3cc44e0523b1d1u : 0x6fd49ea1eabe29ddu);
    fill_normal(address, doubles);
    EXPECT_EQ(digest(doubles), by_ars ? 0x83dcce879f570950u : 0x27b967d8c21a3437u);
    fill_exponential(address, doubles);
    EXPECT_EQ(digest(doubles), by_ars ? 0x684c81ad1f8ec957u : 0xbb78714427d2f7acu);
    fill_bernoulli(address, mixed_probabilities(n), floats);
    EXPECT_EQ(digest(floats), by_ars ? 0x41d8150f06cdce28u : 0x973f710b29d0a78u);
    fill_bernoulli(address, mixed_probabilities(n), small);
    EXPECT_EQ(digest(small), by_ars ? 0x91c797443e48a51eu : 0xb007c8991faa310u);
}

/// The docstring of fill_bernoulli as one comparison of 48-bit numbers.
bool bernoulli_by_definition(std::size_t i, float probability, std::uint32_t word) {
    const std::uint64_t half = i % 2 ? word >> 16 : word & 0xffffu;
    Counter counter = address.counter();
    counter[0] = static_cast<std::uint32_t>(((std::uint64_t{1} << 31) + i) / 4);
    const std::uint64_t more = generate(counter, address.seed)[i % 4];
    return static_cast<double>((half << 32) | more) < std::ldexp(static_cast<double>(probability), 48);
}

template <class T>
void expect_bernoulli_by_definition(const std::vector<float>& probabilities) {
    const std::size_t n = probabilities.size();
    std::vector<std::uint32_t> bits((n + 1) / 2);
    fill_bits(address, bits);
    std::vector<T> draws(n);
    fill_bernoulli(address, probabilities, std::span<T>(draws));
    for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(draws[i], bernoulli_by_definition(i, probabilities[i], bits[i / 2]) ? 1 : 0) << i;
}

TEST_P(FillBernoulli, FollowsItsDefinition) {
    expect_bernoulli_by_definition<float>(mixed_probabilities(200001));
    expect_bernoulli_by_definition<std::int8_t>(mixed_probabilities(200001));
}

/// Probabilities chosen so that the 16 bits of every element tie, with 8 more bits (all that a float has) to settle.
TEST_P(FillBernoulli, SettlesTiesByDefinition) {
    constexpr std::size_t n = 10001;
    std::vector<std::uint32_t> bits((n + 1) / 2);
    fill_bits(address, bits);
    std::vector<float> probabilities(n);
    double expected_ones = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t half = i % 2 ? bits[i / 2] >> 16 : bits[i / 2] & 0xffffu;
        const auto eighth_bits = static_cast<float>(i % 255 + 1) / 256;
        probabilities[i] = (static_cast<float>(half) + eighth_bits) / 65536;
        expected_ones += eighth_bits;
    }
    expect_bernoulli_by_definition<float>(probabilities);
    expect_bernoulli_by_definition<std::int8_t>(probabilities);
    std::vector<float> draws(n);
    fill_bernoulli(address, probabilities, std::span<float>(draws));
    double ones = 0;
    for (const float draw : draws)
        ones += draw;
    EXPECT_NEAR(ones, expected_ones, 5 * std::sqrt(n / 6.0)); // five standard errors
}

TEST_P(FillBernoulli, IsCertainOutsideTheUnitInterval) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> draws(70000);
    for (const float p : {0.0f, -0.0f, -1e-30f, -5.0f, -infinity}) {
        fill_bernoulli(address, std::vector<float>(draws.size(), p), std::span<float>(draws));
        EXPECT_EQ(draws, std::vector<float>(draws.size(), 0.0f)) << p;
    }
    for (const float p : {1.0f, 1.5f, 3e38f, infinity}) {
        fill_bernoulli(address, std::vector<float>(draws.size(), p), std::span<float>(draws));
        EXPECT_EQ(draws, std::vector<float>(draws.size(), 1.0f)) << p;
    }
}

TEST_P(FillBernoulli, NamesTheProbabilityThatIsNotANumber) {
    std::vector<float> probabilities(5000, 0.5f), draws(5000);
    probabilities[4321] = std::numeric_limits<float>::quiet_NaN();
    try {
        fill_bernoulli(address, probabilities, std::span<float>(draws));
        FAIL() << "NaN was accepted";
    } catch (const NumericalError& error) {
        EXPECT_NE(std::string(error.what()).find("4321"), std::string::npos);
    }
}

TEST_P(FillBernoulli, RefusesSpansOfDifferentLength) {
    std::vector<float> probabilities(4), draws(5);
    EXPECT_THROW(fill_bernoulli(address, probabilities, std::span<float>(draws)), ContractViolation);
}

} // namespace
} // namespace pearlite::random
