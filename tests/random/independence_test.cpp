/// Streams whose addresses differ by one in a single part are independent, and so are the elements of one stream.

#include "random/each_generator.hpp"
#include "random/statistics.hpp"

#include "random/fill.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace pearlite::random {
namespace {

using testing::each_generator;
using testing::EachGenerator;
using testing::generator_of_test;

class Independence : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Independence, each_generator, generator_of_test);

using testing::correlation_p_value;
using testing::p_value_of_z;
using testing::rejection_level;

constexpr std::size_t n = 1 << 20;
Address base() {
    return {.seed = EachGenerator::seed(41), .purpose = Purpose::move, .id = 1000, .step = 500};
}

std::map<std::string, Address> neighbours() {
    std::map<std::string, Address> result{{"seed", base()}, {"seed's high half", base()}, {"purpose", base()},
                                          {"id", base()},   {"id's high part", base()},   {"step", base()}};
    result.at("seed").seed.value += 1;
    result.at("seed's high half").seed.value += std::uint64_t{1} << 32;
    result.at("purpose").purpose = Purpose::accept;
    result.at("id").id += 1;
    result.at("id's high part").id += std::uint64_t{1} << 40;
    result.at("step").step += 1;
    return result;
}

std::vector<double> normals(const Address& address) {
    std::vector<double> values(n);
    fill_normal(address, values);
    return values;
}

/// The p-value of the number of bits in which two streams differ, expected to be one half.
double differing_bits_p_value(const Address& a, const Address& b) {
    std::vector<std::uint32_t> first(n), second(n);
    fill_bits(a, first);
    fill_bits(b, second);
    double differing = 0;
    for (std::size_t i = 0; i < n; ++i)
        differing += std::popcount(first[i] ^ second[i]);
    return p_value_of_z((differing - 16.0 * n) / std::sqrt(8.0 * n));
}

TEST_P(Independence, OfNeighbouringAddresses) {
    const std::vector<double> values = normals(base());
    for (const auto& [part, address] : neighbours()) {
        EXPECT_GT(correlation_p_value(values, normals(address)), rejection_level) << part;
        EXPECT_GT(differing_bits_p_value(base(), address), rejection_level) << part;
    }
}

/// Pairs of neighbours: the squares too, because normals that share a radius or an angle are dependent and
/// uncorrelated.
TEST_P(Independence, OfSquaresAtNeighbouringAddresses) {
    const auto standardised_squares = [](const Address& address) {
        std::vector<double> values = normals(address);
        for (double& value : values)
            value = (value * value - 1) / std::sqrt(2.0);
        return values;
    };
    const std::vector<double> squares = standardised_squares(base());
    for (const auto& [part, address] : neighbours())
        EXPECT_GT(correlation_p_value(squares, standardised_squares(address)), rejection_level) << part;
    const std::span<const double> all(squares);
    for (const std::size_t lag : {1u, 2u, 4u})
        EXPECT_GT(correlation_p_value(all.first(n - lag), all.subspan(lag)), rejection_level) << "lag " << lag;
}

TEST_P(Independence, OfTheElementsOfAStream) {
    const std::vector<double> values = normals(base());
    const std::span<const double> all(values);
    for (const std::size_t lag : {1u, 2u, 3u, 4u, 8u, 16u, 64u, 1024u, 2048u})
        EXPECT_GT(correlation_p_value(all.first(n - lag), all.subspan(lag)), rejection_level) << "lag " << lag;
}

TEST_P(Independence, OfDerivedSeeds) {
    Address first = base(), second = base();
    first.seed = derive_seed(base().seed, 0);
    second.seed = derive_seed(base().seed, 1);
    EXPECT_GT(correlation_p_value(normals(first), normals(second)), rejection_level);
    EXPECT_GT(correlation_p_value(normals(first), normals(base())), rejection_level);
}

/// The wrong twins: a correlation of 0.01, and a stream set against itself.
TEST_P(Independence, WrongTwinsAreRejected) {
    const std::vector<double> values = normals(base());
    std::vector<double> leaning = normals(neighbours().at("id"));
    for (std::size_t i = 0; i < n; ++i)
        leaning[i] = std::sqrt(1 - 1e-4) * leaning[i] + 1e-2 * values[i];
    EXPECT_LT(correlation_p_value(values, leaning), rejection_level);
    EXPECT_LT(differing_bits_p_value(base(), base()), rejection_level);
}

} // namespace
} // namespace pearlite::random
