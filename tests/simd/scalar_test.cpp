/// Accuracy of the logarithm, sine and cosine of single numbers against long double. Measured here: relative error of
/// the logarithm 2.2e-16, absolute error of sine and cosine 2.2e-16; the limits leave a factor of two.

#include "simd/draws.hpp"
#include "simd/scalar.hpp"
#include "simd/scalar_float.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::simd {
namespace {

constexpr double limit = 4.5e-16;
constexpr int n_random = 1000000;

double log_error(double x) {
    const long double exact = std::log(static_cast<long double>(x));
    return exact == 0 ? std::fabs(natural_log(x)) : static_cast<double>(std::fabs((natural_log(x) - exact) / exact));
}

TEST(NaturalLog, IsAccurateOnAllUniforms) {
    testing::Draws draws(1);
    double worst = 0;
    for (int i = 0; i < n_random; ++i) {
        const double u = draws.uniform();
        worst = std::max({worst, log_error(u), log_error(std::ldexp(u, -draws.index(54))),
                          log_error(1 - std::ldexp(u, -draws.index(54))), log_error(1000 * u)});
    }
    RecordProperty("worst_relative_error", std::to_string(worst * 1e16) + "e-16");
    EXPECT_LT(worst, limit);
}

TEST(NaturalLog, IsAccurateAtTheEndsAndJoints) {
    EXPECT_EQ(natural_log(1), 0);
    const double joint = std::sqrt(0.5);
    for (const double x : {0x1p-54, 0x1p-53, 3 * 0x1p-53, 1 - 0x1p-53, 1 - 0x1p-52, 0.5, 0.25, joint,
                           std::nextafter(joint, 0.0), std::nextafter(joint, 1.0), 2.0, 1e-300, 1e300})
        EXPECT_LT(log_error(x), limit) << x;
}

double angle_error(double u) {
    const long double angle = 2 * std::numbers::pi_v<long double> * u;
    const CosineSine result = cosine_sine_2pi(u);
    return static_cast<double>(
        std::max(std::fabs(result.cosine - std::cos(angle)), std::fabs(result.sine - std::sin(angle))));
}

TEST(CosineSine, IsAccurateOnAllUniforms) {
    testing::Draws draws(2);
    double worst = 0;
    for (int i = 0; i < n_random; ++i)
        worst = std::max(worst, angle_error(draws.uniform()));
    RecordProperty("worst_absolute_error", std::to_string(worst * 1e16) + "e-16");
    EXPECT_LT(worst, limit);
}

TEST(CosineSine, IsAccurateAroundTheEighthsOfACircle) {
    for (int eighth = 0; eighth <= 8; ++eighth) {
        const double u = eighth / 8.0;
        for (const double near : {u, std::nextafter(u, 0.0), std::nextafter(u, 1.0), u == 0 ? 0x1p-54 : u - 0x1p-53})
            EXPECT_LT(angle_error(near), limit) << near;
    }
    EXPECT_EQ(cosine_sine_2pi(0.25).sine, 1);
    EXPECT_EQ(cosine_sine_2pi(0.5).cosine, -1);
}

TEST(Uniform53, CoversTheOpenInterval) {
    EXPECT_EQ(uniform53(0), 0x1p-54);
    EXPECT_EQ(uniform53((1u << 11) - 1), 0x1p-54);
    EXPECT_EQ(uniform53(1u << 11), 0x1p-53);
    EXPECT_EQ(uniform53(~std::uint64_t{0}), 1 - 0x1p-53);
    EXPECT_EQ(uniform53(std::uint64_t{1} << 63), 0.5);
}

TEST(Uniform24, CoversTheOpenInterval) {
    EXPECT_EQ(uniform24(0), 0x1p-25f);
    EXPECT_EQ(uniform24(255), 0x1p-25f);
    EXPECT_EQ(uniform24(256), 0x1p-24f);
    EXPECT_EQ(uniform24(0xffffffffu), 1 - 0x1p-24f);
    EXPECT_EQ(uniform24(0x80000000u), 0.5f);
}

} // namespace
} // namespace pearlite::simd
