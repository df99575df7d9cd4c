#include "random/each_generator.hpp"
#include "random/statistics.hpp"

#include "random/fill.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>
#include <numeric>

namespace pearlite::random {
namespace {

using testing::each_generator;
using testing::EachGenerator;
using testing::generator_of_test;

class Bits : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Bits, each_generator, generator_of_test);
class Uniform : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Uniform, each_generator, generator_of_test);
class Normal : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Normal, each_generator, generator_of_test);
class Exponential : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Exponential, each_generator, generator_of_test);
class Gamma : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Gamma, each_generator, generator_of_test);
class Beta : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Beta, each_generator, generator_of_test);
class Index : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Index, each_generator, generator_of_test);
class Index128 : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Index128, each_generator, generator_of_test);
class Categorical : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Categorical, each_generator, generator_of_test);
class Bernoulli : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Bernoulli, each_generator, generator_of_test);

using testing::chi_squared_p_value;
using testing::kolmogorov_p_value;
using testing::normal_moments_p_value;
using testing::p_value_of_z;
using testing::rejection_level;
using testing::z_of_mean;

constexpr std::size_t n_many = 1 << 20;
constexpr std::size_t n_some = 100000;

Address address(std::uint64_t seed) {
    return {.seed = EachGenerator::seed(seed), .purpose = Purpose::test, .id = 1, .step = 2};
}

std::vector<double> normals(std::size_t n, std::uint64_t seed) {
    std::vector<double> values(n);
    fill_normal(address(seed), values);
    return values;
}

template <class Draw>
std::vector<double> draw(std::size_t n, std::uint64_t seed, Draw one) {
    Stream stream(address(seed));
    std::vector<double> values(n);
    for (double& value : values)
        value = one(stream);
    return values;
}

double uniform_cdf(double x) {
    return std::clamp(x, 0.0, 1.0);
}
double normal_cdf(double x) {
    return std::erfc(-x / std::sqrt(2.0)) / 2;
}
double exponential_cdf(double x) {
    return -std::expm1(-x);
}

TEST_P(Bits, AreOneHalfAtEveryPosition) {
    std::vector<std::uint32_t> words(n_many);
    fill_bits(address(1), words);
    for (int bit = 0; bit < 32; ++bit) {
        double ones = 0;
        for (const std::uint32_t word : words)
            ones += word >> bit & 1;
        EXPECT_GT(p_value_of_z((ones - n_many / 2.0) / std::sqrt(n_many / 4.0)), rejection_level) << "bit " << bit;
    }
}

TEST_P(Bits, BytesAreEquidistributed) {
    std::vector<std::uint32_t> words(n_many);
    fill_bits(address(2), words);
    const std::vector<double> equal(256, 1.0 / 256);
    for (int byte = 0; byte < 4; ++byte) {
        std::vector<double> counts(256);
        for (const std::uint32_t word : words)
            ++counts[word >> (8 * byte) & 255];
        EXPECT_GT(chi_squared_p_value(counts, equal), rejection_level) << "byte " << byte;
    }
}

TEST_P(Uniform, FollowsItsDistribution) {
    std::vector<double> doubles(n_many);
    fill_uniform(address(3), std::span<double>(doubles));
    EXPECT_GT(kolmogorov_p_value(doubles, uniform_cdf), rejection_level);
    EXPECT_GT(p_value_of_z(z_of_mean(doubles, 0.5, 1.0 / 12)), rejection_level);
    std::vector<float> floats(n_many);
    fill_uniform(address(4), std::span<float>(floats));
    doubles.assign(floats.begin(), floats.end());
    EXPECT_GT(kolmogorov_p_value(doubles, uniform_cdf), rejection_level);
    EXPECT_GT(p_value_of_z(z_of_mean(doubles, 0.5, 1.0 / 12)), rejection_level);
}

TEST_P(Normal, FollowsItsDistribution) {
    const std::vector<double> values = normals(n_many, 5);
    EXPECT_GT(kolmogorov_p_value(values, normal_cdf), rejection_level);
    EXPECT_GT(normal_moments_p_value(values), rejection_level);
}

TEST_P(Normal, HasTailsAsHeavyAsItShould) {
    const std::vector<double> values = normals(1 << 22, 6);
    for (const double from : {2.0, 3.0, 4.0}) {
        const double probability = 2 * normal_cdf(-from), n = static_cast<double>(values.size());
        const auto beyond = std::count_if(values.begin(), values.end(), [&](double x) { return std::fabs(x) > from; });
        const double z = (static_cast<double>(beyond) - n * probability) / std::sqrt(n * probability);
        EXPECT_GT(p_value_of_z(z), rejection_level) << "beyond " << from;
    }
}

/// The wrong twins: a variance of 1.02, and a small shift.
TEST_P(Normal, WrongTwinsAreRejected) {
    std::vector<double> wide = normals(n_many, 5), shifted = wide;
    for (double& value : wide)
        value *= std::sqrt(1.02);
    for (double& value : shifted)
        value += 0.01;
    EXPECT_LT(normal_moments_p_value(wide), rejection_level);
    EXPECT_LT(normal_moments_p_value(shifted), rejection_level);
    EXPECT_LT(kolmogorov_p_value(shifted, normal_cdf), rejection_level);
}

TEST_P(Exponential, FollowsItsDistribution) {
    std::vector<double> values(n_many);
    fill_exponential(address(7), values);
    EXPECT_GT(kolmogorov_p_value(values, exponential_cdf), rejection_level);
    EXPECT_GT(p_value_of_z(z_of_mean(values, 1, 1)), rejection_level);
    for (double& value : values)
        value *= 1.01; // the wrong twin: a rate of 0.99
    EXPECT_LT(p_value_of_z(z_of_mean(values, 1, 1)), rejection_level);
}

TEST_P(Gamma, FollowsItsDistribution) {
    for (const double shape : {0.05, 0.5, 0.999, 1.0, 2.5, 30.0}) {
        const boost::math::gamma_distribution<double> exact(shape);
        const auto cdf = [&](double x) { return boost::math::cdf(exact, x); };
        const auto values = draw(n_some, 8, [&](Stream& stream) { return stream.gamma(shape); });
        EXPECT_GT(kolmogorov_p_value(values, cdf), rejection_level) << "shape " << shape;
        EXPECT_GT(p_value_of_z(z_of_mean(values, shape, shape)), rejection_level) << "shape " << shape;
    }
}

/// The wrong twin: the boost of a small shape left out.
TEST_P(Gamma, WithoutItsBoostIsRejected) {
    const boost::math::gamma_distribution<double> exact(0.5);
    const auto values = draw(n_some, 8, [](Stream& stream) { return stream.gamma(1.5) / 3; });
    EXPECT_LT(kolmogorov_p_value(values, [&](double x) { return boost::math::cdf(exact, x); }), rejection_level);
}

TEST_P(Beta, FollowsItsDistribution) {
    for (const auto& [a, b] : {std::pair{20.0, 1.5}, {0.3, 0.6}, {1.0, 1.0}, {2.0, 5.0}}) {
        const boost::math::beta_distribution<double> exact(a, b);
        const auto cdf = [&](double x) { return boost::math::cdf(exact, x); };
        const auto values = draw(n_some, 9, [&, a = a, b = b](Stream& stream) { return stream.beta(a, b); });
        EXPECT_GT(kolmogorov_p_value(values, cdf), rejection_level) << a << ", " << b;
        EXPECT_GT(p_value_of_z(z_of_mean(values, mean(exact), variance(exact))), rejection_level) << a << ", " << b;
        const auto swapped = [&](double x) { return boost::math::cdf(exact, 1 - x); };
        if (a != b) { // the wrong twin: the shapes exchanged
            EXPECT_LT(kolmogorov_p_value(values, swapped), rejection_level);
        }
    }
}

TEST_P(Index, IsUniform) {
    Stream stream(address(10));
    for (const std::size_t n : {2u, 6u, 7u, 100u}) {
        std::vector<double> counts(n);
        for (std::size_t i = 0; i < n_some; ++i)
            ++counts[stream.index(n)];
        EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(n, 1.0 / static_cast<double>(n))), rejection_level);
    }
}

/// n = 3 2^62 makes rejection matter: of four equal parts of the 64-bit numbers, a plain product sends two to the same
/// residue modulo 3. The wrong twin does that.
TEST_P(Index, IsExactWhereRejectionMatters) {
    constexpr std::uint64_t n = std::uint64_t{3} << 62;
    const std::vector<double> thirds(3, 1.0 / 3);
    std::vector<double> counts(3), naive(3);
    Stream stream(address(11));
    for (std::size_t i = 0; i < n_some; ++i) {
        ++counts[stream.index(n) % 3];
        ++naive[static_cast<std::uint64_t>((static_cast<WideCount>(stream.bits64()) * n) >> 64) % 3];
    }
    EXPECT_GT(chi_squared_p_value(counts, thirds), rejection_level);
    EXPECT_LT(chi_squared_p_value(naive, thirds), rejection_level);
}

/// The same for 128 bits: the wrong twin takes the remainder, which favours the lowest third.
TEST_P(Index128, IsExactWhereRejectionMatters) {
    constexpr WideCount n = static_cast<WideCount>(3) << 126;
    const std::vector<double> thirds(3, 1.0 / 3);
    std::vector<double> counts(3), naive(3), small(5);
    Stream stream(address(12));
    for (std::size_t i = 0; i < n_some; ++i) {
        ++counts[static_cast<std::size_t>(stream.index128(n) >> 126)];
        const WideCount bits = (static_cast<WideCount>(stream.bits64()) << 64) | stream.bits64();
        ++naive[static_cast<std::size_t>((bits % n) >> 126)];
        ++small[static_cast<std::size_t>(stream.index128(5))];
    }
    EXPECT_GT(chi_squared_p_value(counts, thirds), rejection_level);
    EXPECT_LT(chi_squared_p_value(naive, thirds), rejection_level);
    EXPECT_GT(chi_squared_p_value(small, std::vector<double>(5, 0.2)), rejection_level);
}

TEST_P(Categorical, FollowsItsWeights) {
    const std::vector<double> weights{3, 0, 1, 0.5, 0, 5.5}, equal(6, 1.0 / 6);
    std::vector<double> probabilities = weights, counts(6);
    for (double& p : probabilities)
        p /= std::accumulate(weights.begin(), weights.end(), 0.0);
    Stream stream(address(13));
    for (std::size_t i = 0; i < n_some; ++i)
        ++counts[static_cast<std::size_t>(stream.categorical(weights))];
    EXPECT_GT(chi_squared_p_value(counts, probabilities), rejection_level);
    EXPECT_LT(chi_squared_p_value(counts, equal), rejection_level);
}

/// p-value of the number of ones among n draws of probability p; the rarest case below expects 168 events.
double bernoulli_p_value(double ones, double n, double p) {
    return p_value_of_z((ones - n * p) / std::sqrt(n * p * (1 - p)));
}

constexpr std::size_t n_bernoulli = 1 << 24;

TEST_P(Bernoulli, HasItsProbability) {
    std::vector<std::int8_t> bytes(n_bernoulli);
    std::vector<float> floats(n_bernoulli);
    for (const float p : {1e-5f, 0.3f, 1 - 1e-5f}) {
        const std::vector<float> probabilities(n_bernoulli, p);
        fill_bernoulli(address(14), probabilities, bytes);
        fill_bernoulli(address(15), probabilities, floats);
        const double of_bytes = std::accumulate(bytes.begin(), bytes.end(), 0.0);
        const double of_floats = std::accumulate(floats.begin(), floats.end(), 0.0);
        EXPECT_GT(bernoulli_p_value(of_bytes, n_bernoulli, p), rejection_level) << p;
        EXPECT_GT(bernoulli_p_value(of_floats, n_bernoulli, p), rejection_level) << p;
    }
}

/// The wrong twin compares only one byte with p, a likely mistake.
TEST_P(Bernoulli, EightBitsAreRejected) {
    std::vector<std::uint32_t> words(n_bernoulli / 4);
    fill_bits(address(16), words);
    for (const float p : {1e-5f, 0.3f, 1 - 1e-5f}) {
        double ones = 0;
        for (const std::uint32_t word : words)
            for (int byte = 0; byte < 4; ++byte)
                ones += static_cast<float>(word >> (8 * byte) & 255) < p * 256;
        EXPECT_LT(bernoulli_p_value(ones, n_bernoulli, p), rejection_level) << p;
    }
}

TEST_P(Bernoulli, OfTheStreamHasItsProbability) {
    const auto draws = draw(n_many, 17, [](Stream& stream) { return stream.bernoulli(0.3) ? 1.0 : 0.0; });
    EXPECT_GT(bernoulli_p_value(std::accumulate(draws.begin(), draws.end(), 0.0), n_many, 0.3), rejection_level);
}

} // namespace
} // namespace pearlite::random
