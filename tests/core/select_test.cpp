#include "core/marks.hpp"
#include "core/select.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

namespace pearlite {
namespace {

TEST(Select, TakesOneOfTwoToTheBit) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    for (const double first : {1.5, -0.0, infinity, std::numeric_limits<double>::quiet_NaN()})
        for (const double second : {-2.25, 0.0, -infinity}) {
            EXPECT_EQ(bits(select(true, first, second)), bits(first));
            EXPECT_EQ(bits(select(false, first, second)), bits(second));
        }
    EXPECT_EQ(select(true, std::int64_t{-7}, std::int64_t{1} << 40), -7);
    EXPECT_EQ(select(false, std::int64_t{-7}, std::int64_t{1} << 40), std::int64_t{1} << 40);
    EXPECT_EQ(select(true, std::int32_t{-7}, std::int32_t{9}), -7);
    EXPECT_EQ(select(false, std::int32_t{-7}, std::int32_t{9}), 9);
}

TEST(Marks, AreVisitedInTheirOrderAndCounted) {
    const std::vector<std::uint8_t> marks{0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0};
    std::vector<std::size_t> visited;
    EXPECT_EQ(for_each_marked(marks.data(), 14, [&](std::size_t i) { visited.push_back(i); }), 5);
    EXPECT_EQ(visited, (std::vector<std::size_t>{1, 2, 7, 10, 12}));
    EXPECT_EQ(count_marked(marks.data(), 14), 5);
    EXPECT_EQ(count_marked(marks.data(), 0), 0);
}

} // namespace
} // namespace pearlite
