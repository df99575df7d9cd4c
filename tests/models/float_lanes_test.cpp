#include "../../src/models/float_lanes.hpp"

#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::models::detail {
namespace {

/// Largest |f(x) - exact(x)| / scale(x) over lanes filled by draw.
template <class Function, class Exact, class Scale, class Draw>
double worst_error(Function function, Exact exact, Scale scale, Draw draw) {
    random::Stream stream({61});
    double worst = 0;
    for (int k = 0; k < 20000; ++k) {
        Floats x{};
        for (std::size_t i = 0; i < float_lanes; ++i)
            x[i] = static_cast<float>(draw(stream));
        const Floats y = function(x);
        for (std::size_t i = 0; i < float_lanes; ++i) {
            const auto at = static_cast<double>(x[i]);
            worst = std::max(worst, std::abs(static_cast<double>(y[i]) - exact(at)) / scale(at));
        }
    }
    return worst;
}

TEST(FloatLanes, PowersOfTwoAreAccurate) {
    const auto exact = [](double x) { return std::exp2(x); };
    const auto error = [&](double reach) {
        return worst_error([](Floats x) { return exp2_lanes(x); }, exact, exact,
                           [&](random::Stream& stream) { return stream.uniform(-reach, reach); });
    };
    EXPECT_LT(error(1), 2.5e-7);
    EXPECT_LT(error(126), 2.5e-7);
}

TEST(FloatLanes, PowersOfTwoAreCutAtTheEnds) {
    for (const float x : {-127.0f, -1e30f, -__builtin_inff(), __builtin_nanf("")})
        EXPECT_FLOAT_EQ(exp2_lanes(all_lanes(x))[3], 0x1p-126f) << x;
    for (const float x : {127.0f, 1e30f, __builtin_inff()})
        EXPECT_FLOAT_EQ(exp2_lanes(all_lanes(x))[3], 0x1p126f) << x;
    EXPECT_FLOAT_EQ(exp2_lanes(all_lanes(0))[5], 1);
}

TEST(FloatLanes, LogarithmsAreAccurate) {
    const auto exact = [](double x) { return std::log2(x); };
    const auto function = [](Floats x) { return log2_lanes(x); };
    const auto own_or_one = [](double x) { return std::max(1.0, std::abs(std::log2(x))); };
    EXPECT_LT(worst_error(function, exact, own_or_one,
                          [](random::Stream& stream) { return std::exp2(stream.uniform(-126, 126)); }),
              1.5e-7);
    EXPECT_LT(worst_error(function, exact, own_or_one, [](random::Stream& stream) { return stream.uniform(0.5, 2); }),
              1.5e-7);
    EXPECT_EQ(log2_lanes(all_lanes(1))[0], 0);
    EXPECT_EQ(log2_lanes(all_lanes(8))[0], 3);
}

TEST(FloatLanes, LogarithmsNearOneKeepTheirRelativeAccuracy) {
    const auto exact = [](double x) { return std::log1p(x) / std::log(2.0); };
    const auto function = [](Floats x) { return log2_1p_lanes(x); };
    const auto magnitude = [&](double x) { return std::abs(exact(x)); };
    EXPECT_LT(worst_error(function, exact, magnitude,
                          [](random::Stream& stream) { return std::exp2(stream.uniform(-60, 120)); }),
              4e-7);
    EXPECT_LT(worst_error(function, exact, magnitude,
                          [](random::Stream& stream) { return -std::exp2(stream.uniform(-60, -1)); }),
              4e-7);
}

TEST(FloatLanes, ProductsAreRoundedOnce) {
    const float a = 1 + 0x1p-20f;
    EXPECT_EQ(fused(all_lanes(a), all_lanes(a), all_lanes(-1))[7], std::fma(a, a, -1.0f));
    EXPECT_NE(std::fma(a, a, -1.0f), a * a - 1);
    EXPECT_EQ(smaller(all_lanes(1), all_lanes(2))[0], 1);
    EXPECT_EQ(larger(all_lanes(1), all_lanes(2))[0], 2);
    EXPECT_EQ(larger(all_lanes(__builtin_nanf("")), all_lanes(2))[0], 2);
    EXPECT_EQ(square_root(all_lanes(2))[15], std::sqrt(2.0f));
    Floats x{};
    for (std::size_t i = 0; i < float_lanes; ++i)
        x[i] = static_cast<float>(i);
    EXPECT_EQ(sum_of_lanes(x), 120);
    EXPECT_EQ(largest_lane(x), 15);
}

} // namespace
} // namespace pearlite::models::detail
