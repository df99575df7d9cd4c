#include "random/lanes.hpp"

#include "pearlite/core/error.hpp"
#include "random/each_generator.hpp"
#include "random/fill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace pearlite::random {
namespace {

using testing::each_generator;
using testing::EachGenerator;
using testing::generator_of_test;

class Lanes : public EachGenerator {};
INSTANTIATE_TEST_SUITE_P(ByGenerator, Lanes, each_generator, generator_of_test);

TEST_P(Lanes, ElementsAreThoseOfEveryAddressByItself) {
    const Address first{EachGenerator::seed(0x123456789abcdefu), Purpose::test, (std::uint64_t{3} << 40) | 77, 5};
    constexpr Index n = 48;
    for (const Index count : {1, 2, 5, 30}) {
        const auto size = static_cast<std::size_t>(n * count);
        std::vector<double> uniform(size), normal(size), exponential(size), skipped(size);
        fill_uniform_lanes(first, n, uniform);
        fill_normal_lanes(first, n, normal);
        fill_exponential_lanes(first, n, exponential);
        fill_exponential_lanes(first, n, skipped, 4);
        for (Index i = 0; i < n; ++i) {
            Address address = first;
            address.id += static_cast<std::uint64_t>(i);
            std::vector<double> u(static_cast<std::size_t>(count)), z(u), e(u.size() + 4);
            fill_uniform(address, u);
            fill_normal(address, z);
            fill_exponential(address, e);
            for (std::size_t k = 0; k < u.size(); ++k) {
                const std::size_t at = k * n + static_cast<std::size_t>(i);
                ASSERT_EQ(uniform[at], u[k]);
                ASSERT_EQ(normal[at], z[k]);
                ASSERT_EQ(exponential[at], e[k]);
                ASSERT_EQ(skipped[at], e[k + 4]);
            }
        }
    }
}

TEST_P(Lanes, NumbersOfManyStepsAreTheFirstOfEach) {
    const Address first{EachGenerator::seed(5), Purpose::test, (std::uint64_t{3} << 40) | 77, 9};
    constexpr Index n = 40, steps = 11;
    std::vector<double> uniform(n * steps), exponential(n * steps);
    fill_uniform_steps(first, n, uniform);
    fill_exponential_steps(first, n, exponential);
    for (std::size_t s = 0; s < steps; ++s)
        for (std::size_t i = 0; i < n; ++i) {
            const Address address{first.seed, first.purpose, first.id + i, first.step + static_cast<std::uint32_t>(s)};
            ASSERT_EQ(uniform[s * n + i], Stream(address).uniform());
            ASSERT_EQ(exponential[s * n + i], Stream(address).exponential());
        }
}

TEST_P(Lanes, NumbersDoNotDependOnTheNumberOfLanes) {
    const Address first{EachGenerator::seed(1), Purpose::test, 1000, 2};
    std::vector<double> narrow(16 * 3), wide(64 * 3);
    fill_normal_lanes(first, 16, narrow);
    fill_normal_lanes(first, 64, wide);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 16; ++i)
            EXPECT_EQ(narrow[16 * k + i], wide[64 * k + i]);
}

TEST_P(Lanes, NormalsInSinglePrecisionComeFromTheirWords) {
    const Address first{EachGenerator::seed(5), Purpose::test, (std::uint64_t{2} << 40) | 9, 3};
    constexpr Index n = 24;
    for (const Index count : {1, 3, 4, 5, 18}) {
        std::vector<float> normal(static_cast<std::size_t>(n * count));
        fill_normal_lanes(first, n, normal);
        for (Index i = 0; i < n; ++i) {
            Address address = first;
            address.id += static_cast<std::uint64_t>(i);
            std::vector<std::uint32_t> words(static_cast<std::size_t>((count + 3) / 4 * 4));
            fill_bits(address, words);
            for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
                const std::size_t j = k / 2 * 2;
                const double radius = std::sqrt(-2 * std::log((0.5 + (words[j] >> 1)) / 0x1p31));
                const double quarters = (words[j + 1] >> 30) + static_cast<std::int32_t>(words[j + 1] << 2) / 0x1p32;
                const double angle = 0.5 * std::numbers::pi * quarters;
                EXPECT_NEAR(normal[k * n + static_cast<std::size_t>(i)],
                            radius * (k % 2 == 0 ? std::cos(angle) : std::sin(angle)), 1e-6 * (1 + radius));
            }
        }
    }
}

TEST_P(Lanes, NormalsInSinglePrecisionAreNormal) {
    std::vector<float> z(400 * 1024);
    fill_normal_lanes({EachGenerator::seed(8), Purpose::test, 0, 0}, 1024, z);
    // Moments 1 to 6, each within 5 standard errors: a false alarm in 3e-6 of all seeds.
    const double expected[]{0, 1, 0, 3, 0, 15}, variance[]{1, 2, 15, 96, 945, 10170};
    for (int m = 1; m <= 6; ++m) {
        double sum = 0;
        for (const float v : z)
            sum += std::pow(static_cast<double>(v), m);
        const auto size = static_cast<double>(z.size());
        EXPECT_NEAR(sum / size, expected[m - 1], 5 * std::sqrt(variance[m - 1] / size)) << "moment " << m;
    }
}

TEST_P(Lanes, WrongSizesAreRefused) {
    std::vector<double> out(32);
    EXPECT_NO_THROW(fill_normal_lanes({EachGenerator::seed(1), Purpose::test, 0, 0}, 0, std::span<double>()));
    EXPECT_THROW(fill_normal_lanes({EachGenerator::seed(1), Purpose::test, 0, 0}, 0, out), ContractViolation);
    EXPECT_THROW(fill_uniform_lanes({EachGenerator::seed(1), Purpose::test, 0, 0}, 12, out), ContractViolation);
    EXPECT_THROW(fill_uniform_lanes({EachGenerator::seed(1), Purpose::test, 0xfffffff8u, 0}, 16, out),
                 ContractViolation);
}

} // namespace
} // namespace pearlite::random
