#include "pearlite/random/lanes.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/random/fill.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pearlite::random {
namespace {

TEST(Lanes, ElementsAreThoseOfEveryAddressByItself) {
    const Address first{0x123456789abcdefu, Purpose::test, (std::uint64_t{3} << 40) | 77, 5};
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

TEST(Lanes, NumbersDoNotDependOnTheNumberOfLanes) {
    const Address first{1, Purpose::test, 1000, 2};
    std::vector<double> narrow(16 * 3), wide(64 * 3);
    fill_normal_lanes(first, 16, narrow);
    fill_normal_lanes(first, 64, wide);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 16; ++i)
            EXPECT_EQ(narrow[16 * k + i], wide[64 * k + i]);
}

TEST(Lanes, WrongSizesAreRefused) {
    std::vector<double> out(32);
    EXPECT_NO_THROW(fill_normal_lanes({1, Purpose::test, 0, 0}, 0, {}));
    EXPECT_THROW(fill_normal_lanes({1, Purpose::test, 0, 0}, 0, out), ContractViolation);
    EXPECT_THROW(fill_uniform_lanes({1, Purpose::test, 0, 0}, 12, out), ContractViolation);
    EXPECT_THROW(fill_uniform_lanes({1, Purpose::test, 0xfffffff8u, 0}, 16, out), ContractViolation);
}

} // namespace
} // namespace pearlite::random
