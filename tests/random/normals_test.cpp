
#include "pearlite/core/error.hpp"
#include "random/each_generator.hpp"
#include "random/fill.hpp"
#include "random/statistics.hpp"
#include "simd/scalar_float.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace pearlite::random {
namespace {

using testing::correlation_p_value;
using testing::each_generator;
using testing::EachGenerator;
using testing::generator_of_test;
using testing::kolmogorov_p_value;
using testing::normal_moments_p_value;
using testing::p_value_of_z;
using testing::rejection_level;

/// Its seed has the generator under test.
Address address{.seed = 30, .purpose = Purpose::test, .id = 3, .step = 4};

class OfAddress : public EachGenerator {
    void SetUp() override {
        EachGenerator::SetUp();
        address.seed.generator = tested;
    }
};
class SingleNormal : public OfAddress {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, SingleNormal, each_generator, generator_of_test);
constexpr std::size_t n_many = 1 << 22;

std::vector<float> singles(const Address& at, std::uint64_t first, std::size_t n) {
    std::vector<float> values(n);
    fill_normal(at, first, values);
    return values;
}

std::vector<double> normals(const Address& at, std::size_t n) {
    const std::vector<float> values = singles(at, 0, n);
    return {values.begin(), values.end()};
}

double normal_cdf(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}

TEST_P(SingleNormal, FollowsItsDistribution) {
    const std::vector<double> values = normals(address, n_many);
    EXPECT_GT(kolmogorov_p_value(values, normal_cdf), rejection_level);
    EXPECT_GT(normal_moments_p_value(values), rejection_level);
}

TEST_P(SingleNormal, HasTailsAsHeavyAsItShould) {
    const std::vector<double> values = normals(address, 4 * n_many);
    const auto n = static_cast<double>(values.size());
    for (const double from : {2.0, 3.0, 4.0, 4.5}) {
        const double probability = normal_cdf(-from);
        const auto above = std::count_if(values.begin(), values.end(), [&](double x) { return x > from; });
        const auto below = std::count_if(values.begin(), values.end(), [&](double x) { return x < -from; });
        for (const auto count : {above, below}) {
            const double z = (static_cast<double>(count) - n * probability) / std::sqrt(n * probability);
            EXPECT_GT(p_value_of_z(z), rejection_level) << "beyond " << from;
        }
    }
}

/// Wrong twins: a radius of 12 bits has no tail, a quarter of the circle left out shifts the mean, a variance of 1.01.
TEST_P(SingleNormal, WrongTwinsAreRejected) {
    std::vector<std::uint32_t> words(2 * n_many);
    fill_bits(address, words);
    std::vector<double> short_radius(n_many), three_quarters(n_many), wide = normals(address, n_many);
    for (std::size_t i = 0; i < n_many; ++i) {
        const auto direction = simd::random_direction(words[2 * i + 1]);
        const float radius = std::sqrt(simd::minus_two_log(simd::uniform31(words[2 * i])));
        const float coarse = std::sqrt(simd::minus_two_log(simd::uniform31(words[2 * i] | 0xfffffu)));
        short_radius[i] = coarse * direction.cosine;
        const std::uint32_t kept = words[2 * i + 1] >> 30 == 3 ? words[2 * i + 1] ^ (3u << 30) : words[2 * i + 1];
        three_quarters[i] = radius * simd::random_direction(kept).sine;
        wide[i] *= std::sqrt(1.01);
    }
    const double probability = 2 * normal_cdf(-4.2), n = n_many;
    const auto beyond =
        std::count_if(short_radius.begin(), short_radius.end(), [](double x) { return std::fabs(x) > 4.2; });
    EXPECT_LT(p_value_of_z((static_cast<double>(beyond) - n * probability) / std::sqrt(n * probability)),
              rejection_level);
    EXPECT_LT(kolmogorov_p_value(three_quarters, normal_cdf), rejection_level);
    EXPECT_LT(normal_moments_p_value(wide), rejection_level);
}

TEST_P(SingleNormal, ElementsAreIndependent) {
    constexpr std::size_t n = 1 << 20;
    const std::vector<double> values = normals(address, n);
    std::vector<double> squares = values;
    for (double& square : squares)
        square = (square * square - 1) / std::sqrt(2.0);
    for (const std::size_t lag : {1u, 2u, 15u, 16u, 17u, 32u, 48u, 2048u})
        for (const auto& all : {std::span<const double>(values), std::span<const double>(squares)})
            EXPECT_GT(correlation_p_value(all.first(n - lag), all.subspan(lag)), rejection_level) << "lag " << lag;
    Address neighbour = address;
    neighbour.id += 1;
    EXPECT_GT(correlation_p_value(values, normals(neighbour, n)), rejection_level);
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST_P(SingleNormal, DoesNotDependOnLengthOffsetOrAlignment) {
    const std::vector<float> expected = singles(address, 0, 9000);
    for (std::size_t n : {0u, 1u, 5u, 16u, 31u, 32u, 33u, 64u, 1000u, 2047u, 2048u, 2049u, 5000u})
        for (const std::size_t first : {0u, 1u, 16u, 32u, 37u, 2048u, 3001u})
            for (const std::size_t shift : {0u, 1u, 3u}) {
                std::vector<float> values(shift + n + 1, 7);
                const auto part = std::span(values).subspan(shift, n);
                fill_normal(address, first, part);
                ASSERT_TRUE(same_bits(part, std::span(expected).subspan(first, n))) << n << " from " << first;
                ASSERT_EQ(values.back(), 7);
            }
}

/// Element by element in scalar code, from the words that the header names; also far along the stream.
TEST_P(SingleNormal, EqualsItsDefinition) {
    constexpr std::size_t n = 6400;
    std::vector<std::uint32_t> words(n);
    for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 34) - n}) {
        Counter counter = address.counter();
        counter[0] = static_cast<std::uint32_t>(first / 4);
        random::fill(counter, address.seed, words);
        const std::vector<float> values = singles(address, first, n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t group = i / 32 * 32, j = i % 16;
            const float radius = std::sqrt(simd::minus_two_log(simd::uniform31(words[group + j])));
            const auto direction = simd::random_direction(words[group + 16 + j]);
            ASSERT_EQ(values[i], radius * (i % 32 < 16 ? direction.cosine : direction.sine)) << i;
        }
    }
    std::vector<float> beyond(n + 1);
    EXPECT_THROW(fill_normal(address, (std::uint64_t{1} << 34) - n, beyond), ContractViolation);
}

/// Pinned numbers of a seed: the same in every build (optimised or not, AVX-512 or AVX2).
TEST_P(SingleNormal, KeepsItsBitsFromBuildToBuild) {
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const float value : singles(address, 100, 5001))
        hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3u;
    EXPECT_EQ(hash, tested == Generator::ars ? 491653225252858253u : 7099107819402604186u);
}

TEST(SingleElementary, AccuracyIsAsStated) {
    Stream stream({.seed = 3});
    double worst_log = 0, worst_direction = 0;
    for (int i = 0; i < 1000000; ++i) {
        const float u = simd::uniform31(stream.bits32() >> stream.index(32));
        const double exact = -2 * std::log(static_cast<double>(u));
        worst_log = std::max(worst_log, std::fabs(simd::minus_two_log(u) - exact) / std::max(exact, 0.15));
        const std::uint32_t bits = stream.bits32();
        const auto direction = simd::random_direction(bits);
        const double turn = (static_cast<double>(static_cast<std::int32_t>(bits << 2) >> 2) + 0.5) * 0x1p-30;
        double c = std::cos(std::acos(0.0) * turn), s = std::sin(std::acos(0.0) * turn);
        c = bits >> 31 ? -c : c;
        if (bits >> 30 & 1)
            std::swap(c, s);
        worst_direction = std::max({worst_direction, std::fabs(direction.cosine - c), std::fabs(direction.sine - s)});
    }
    EXPECT_LT(worst_log, 2e-7);
    EXPECT_LT(worst_direction, 1.2e-7);
    EXPECT_EQ(simd::minus_two_log(1), 0);
    EXPECT_NEAR(simd::uniform31(0), 0x1p-32, 0);
    EXPECT_EQ(simd::uniform31(~0u), 1);
}

} // namespace
} // namespace pearlite::random
