#include "pearlite/random/stream.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/random/detail/ars.hpp"
#include "pearlite/random/detail/philox.hpp"
#include "random/each_generator.hpp"
#include "random/fill.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace pearlite::random {
namespace {

using testing::each_generator;
using testing::EachGenerator;
using testing::generator_of_test;

/// Its seed has the generator under test.
Address address{.seed = 0x0123456789abcdefu, .purpose = Purpose::test, .id = 0x00fedcba98765432u, .step = 77};

class OfAddress : public EachGenerator {
    void SetUp() override {
        EachGenerator::SetUp();
        address.seed.generator = tested;
    }
};
class StreamDraws : public OfAddress {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, StreamDraws, each_generator, generator_of_test);
class DeriveSeed : public OfAddress {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, DeriveSeed, each_generator, generator_of_test);
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(std::uniform_random_bit_generator<Stream>);

TEST(Address, PutsItsPartsIntoKeyAndCounter) {
    EXPECT_EQ(Philox::key(address.seed.value), (Philox::Key{0x89abcdefu, 0x01234567u}));
    EXPECT_EQ(address.counter(), (Counter{0, 77, 0x98765432u, 0xfffedcbau}));
}

TEST(Address, RefusesIdsOfMoreThan56Bits) {
    EXPECT_NO_THROW((Address{.id = (std::uint64_t{1} << 56) - 1}.counter()));
    EXPECT_THROW((Address{.id = std::uint64_t{1} << 56}.counter()), ContractViolation);
    EXPECT_THROW(Stream(Address{.id = ~std::uint64_t{0}}), ContractViolation);
}

TEST(Address, SlotsOfGenerationsHaveDifferentIds) {
    std::set<std::uint64_t> ids;
    for (Index generation : {0, 1, 2, 65535})
        for (Index slot : {Index{0}, Index{1}, (Index{1} << 40) - 1})
            ids.insert(slot_id(generation, slot));
    EXPECT_EQ(ids.size(), 12u);
    EXPECT_LT(*ids.rbegin(), std::uint64_t{1} << 56);
}

TEST_P(DeriveSeed, IsTheGeneratorsOfThePart) {
    const auto words = generate({0x55667788u, 0x11223344u, 0, 8u << 24}, address.seed);
    EXPECT_EQ(derive_seed(address.seed, 0x1122334455667788u),
              Seed((static_cast<std::uint64_t>(words[1]) << 32) | words[0], tested));
}

/// Words of the two generators at one address.
TEST(Seed, SaysByWhichGeneratorAStreamIsDrawn) {
    Address philox = address, ars = address;
    philox.seed.generator = Generator::philox;
    ars.seed.generator = Generator::ars;
    EXPECT_EQ(Stream(philox).bits32(), Philox::generate(address.counter(), Philox::key(address.seed.value))[0]);
    EXPECT_EQ(Stream(ars).bits32(), Ars::generate(address.counter(), Ars::key(address.seed.value))[0]);
    EXPECT_NE(Stream(ars).bits32(), Stream(philox).bits32());
    EXPECT_EQ(Seed(3).generator, Generator::philox);
}

TEST_P(DeriveSeed, GivesDifferentSeeds) {
    std::set<std::uint64_t> seeds;
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        for (std::uint64_t part = 0; part < 1000; ++part)
            seeds.insert(derive_seed(EachGenerator::seed(seed), part).value);
    EXPECT_EQ(seeds.size(), 10000u);
}

TEST_P(StreamDraws, StartsAgainFromItsAddress) {
    Stream first(address), second(address);
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ(first.bits32(), second());
    Stream copy = first;
    EXPECT_EQ(copy.normal(), first.normal());
    EXPECT_EQ(copy.normal(), first.normal());
}

constexpr std::size_t n_draws = 5001;

TEST_P(StreamDraws, DrawsTheNumbersOfTheBlockForms) {
    std::vector<std::uint32_t> bits(n_draws);
    std::vector<double> uniforms(n_draws), normals(n_draws), exponentials(n_draws);
    fill_bits(address, bits);
    fill_uniform(address, std::span<double>(uniforms));
    fill_normal(address, normals);
    fill_exponential(address, exponentials);
    Stream of_bits(address), of_uniforms(address), of_normals(address), of_exponentials(address);
    for (std::size_t i = 0; i < n_draws; ++i) {
        ASSERT_EQ(of_bits.bits32(), bits[i]);
        ASSERT_EQ(of_uniforms.uniform(), uniforms[i]);
        ASSERT_EQ(of_normals.normal(), normals[i]) << i;
        ASSERT_EQ(of_exponentials.exponential(), exponentials[i]);
    }
}

TEST_P(StreamDraws, BitsOf64AreTwoWordsLowFirst) {
    Stream words(address), pairs(address);
    const std::uint64_t low = words(), high = words();
    EXPECT_EQ(pairs.bits64(), (high << 32) | low);
}

TEST_P(StreamDraws, UniformStaysInsideItsInterval) {
    Stream stream(address);
    for (int i = 0; i < 100000; ++i) {
        const double u = stream.uniform(-3, 5);
        ASSERT_TRUE(u > -3 && u < 5);
    }
}

TEST_P(StreamDraws, IndexStaysBelowItsEnd) {
    Stream stream(address);
    const auto big = (static_cast<WideCount>(1) << 127) + 12345;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(stream.index(1), 0u);
        ASSERT_LT(stream.index(3), 3u);
        ASSERT_LT(stream.index((std::uint64_t{1} << 63) + 1), (std::uint64_t{1} << 63) + 1);
        ASSERT_TRUE(stream.index128(1) == 0);
        ASSERT_TRUE(stream.index128(7) < 7);
        ASSERT_TRUE(stream.index128(big) < big);
    }
    EXPECT_THROW(stream.index(0), ContractViolation);
    EXPECT_THROW(stream.index128(0), ContractViolation);
}

TEST_P(StreamDraws, GammaRefusesShapesThatAreNotPositive) {
    Stream stream(address);
    for (const double shape : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
        EXPECT_THROW(stream.gamma(shape), ContractViolation);
    EXPECT_THROW(stream.beta(1, 0), ContractViolation);
}

TEST_P(StreamDraws, BetaOfTinyShapesIsANumber) {
    Stream stream(address);
    int ones = 0;
    constexpr int n = 4000;
    for (int i = 0; i < n; ++i) {
        const double x = stream.beta(1e-4, 1e-4); // both gammas mostly underflow
        ASSERT_TRUE(x >= 0 && x <= 1);
        ones += x > 0.5;
    }
    EXPECT_NEAR(ones, n / 2, 5 * std::sqrt(n / 4.0)); // five standard errors: false alarm 6e-7
}

TEST_P(StreamDraws, BernoulliIsCertainAtTheEnds) {
    Stream stream(address);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_FALSE(stream.bernoulli(0));
        ASSERT_TRUE(stream.bernoulli(1));
    }
}

TEST_P(StreamDraws, CategoricalNeverDrawsAnImpossibleIndex) {
    Stream stream(address);
    const std::vector<double> weights{0, 1e-300, 0, 2e-300, 0};
    for (int i = 0; i < 1000; ++i) {
        const Index j = stream.categorical(weights);
        ASSERT_TRUE(j == 1 || j == 3);
    }
}

TEST_P(StreamDraws, CategoricalRefusesBadWeights) {
    Stream stream(address);
    const std::vector<std::vector<double>> bad{
        {}, {0, 0}, {1, -1e-9}, {1, nan}, {1, std::numeric_limits<double>::infinity()}};
    for (const auto& weights : bad)
        EXPECT_THROW(stream.categorical(weights), ContractViolation);
}

} // namespace
} // namespace pearlite::random
