#include "path/next_temperature.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::path {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_schedule(const Schedule& schedule, Index steps, double end) {
    ASSERT_EQ(schedule.steps(), steps);
    EXPECT_EQ(schedule[0], 0);
    EXPECT_EQ(schedule.end(), end);
    for (Index k = 1; k <= steps; ++k)
        ASSERT_GT(schedule[k], schedule[k - 1]) << "point " << k << " of " << steps;
}

Index points_in(const Schedule& schedule, double after, double until) {
    return std::count_if(schedule.points().begin(), schedule.points().end(),
                         [&](double b) { return b > after + 1e-12 && b <= until + 1e-12; });
}

TEST(Schedule, SaysWhichPointIsWrong) {
    EXPECT_THAT([] { Schedule({0.0}); }, ThrowsMessage<InputError>(HasSubstr("at least 2")));
    EXPECT_THAT([] { Schedule({0.1, 1}); }, ThrowsMessage<InputError>(HasSubstr("not 0.1")));
    EXPECT_THAT([] { Schedule({nan, 1}); }, ThrowsMessage<InputError>(HasSubstr("starts at")));
    EXPECT_THAT([] { Schedule({0, 0.5, 0.5, 1}); }, ThrowsMessage<InputError>(HasSubstr("point 2 is 0.5 after 0.5")));
    EXPECT_THAT([] { Schedule({0, 0.5, nan, 1}); }, ThrowsMessage<InputError>(HasSubstr("point 2")));
    EXPECT_THAT([] { Schedule({0, 0.5, infinity}); }, ThrowsMessage<InputError>(HasSubstr("point 2 is inf")));
    EXPECT_NO_THROW(Schedule({0, 0.5, 0.7}));
}

TEST(Schedule, LinearIsEven) {
    for (const double end : {1.0, 0.44, 3.0})
        for (const Index steps : {1, 2, 3, 7, 1000}) {
            const auto schedule = linear_schedule(steps, end);
            expect_schedule(schedule, steps, end);
            for (Index k = 0; k <= steps; ++k)
                ASSERT_NEAR(schedule[k], end * static_cast<double>(k) / static_cast<double>(steps), 1e-15 * end);
        }
    EXPECT_THROW(linear_schedule(0, 1), InputError);
    EXPECT_THROW(linear_schedule(5, 0), InputError);
    EXPECT_THROW(linear_schedule(5, -1), InputError);
}

TEST(Schedule, GeometricIsEvenInTheLogarithm) {
    for (const double end : {1.0, 0.5})
        for (const Index steps : {2, 3, 10, 1000}) {
            const auto schedule = geometric_schedule(steps, end, 1e-3);
            expect_schedule(schedule, steps, end);
            for (Index k = 1; k <= steps; ++k) {
                const double exponent = static_cast<double>(steps - k) / static_cast<double>(steps - 1);
                ASSERT_NEAR(schedule[k] / end, std::pow(1e-3, exponent), 1e-14);
            }
        }
    EXPECT_DOUBLE_EQ(geometric_schedule(2, 2, 0.01)[1], 0.02);
    EXPECT_THROW(geometric_schedule(1, 1), InputError);
    for (const double epsilon : {0.0, 1.0, 2.0, -0.1, nan})
        EXPECT_THROW(geometric_schedule(5, 1, epsilon), InputError) << epsilon;
}

TEST(Schedule, Sm08HasTheSegmentsOfThePaper) {
    for (const Index scale : {1, 10, 100}) {
        const auto schedule = sm08_schedule(145 * 10 * scale, 1);
        expect_schedule(schedule, 1450 * scale, 1);
        EXPECT_EQ(points_in(schedule, 0, 0.5), 50 * scale);
        EXPECT_EQ(points_in(schedule, 0.5, 0.9), 400 * scale);
        EXPECT_EQ(points_in(schedule, 0.9, 1), 1000 * scale);
        EXPECT_DOUBLE_EQ(schedule[1], 0.5 / (50.0 * static_cast<double>(scale)));
        EXPECT_DOUBLE_EQ(schedule[50 * scale], 0.5);
        EXPECT_DOUBLE_EQ(schedule[450 * scale], 0.9);
    }
}

TEST(Schedule, Sm08ScalesToAnyNumberOfStepsByLargestRemainder) {
    for (Index steps = 3; steps < 700; ++steps) {
        const auto schedule = sm08_schedule(steps, 2.5);
        expect_schedule(schedule, steps, 2.5);
        const std::array<Index, 3> counts{points_in(schedule, 0, 1.25), points_in(schedule, 1.25, 2.25),
                                          points_in(schedule, 2.25, 2.5)};
        const std::array<double, 3> shares{500 / 14500.0, 4000 / 14500.0, 10000 / 14500.0};
        for (std::size_t s = 0; s < 3; ++s) {
            ASSERT_GE(counts[s], 1) << steps;
            // Largest remainder moves a segment by less than 1; below 29 steps the first is forced to 1 and the last
            // pays.
            ASSERT_LT(std::fabs(static_cast<double>(counts[s]) - shares[s] * static_cast<double>(steps)),
                      steps < 29 ? 2 : 1)
                << steps;
        }
    }
    EXPECT_EQ(points_in(sm08_schedule(30, 1), 0.9, 1), 21); // shares 1.03, 8.28, 20.69
    EXPECT_THROW(sm08_schedule(2, 1), InputError);
}

TEST(Schedule, PiecewiseLinear) {
    const std::vector<double> knots{0.25, 0.5, 1}, shares{1, 5, 2};
    const auto schedule = piecewise_schedule(80, 2, knots, shares);
    EXPECT_EQ(schedule.steps(), 80);
    EXPECT_DOUBLE_EQ(schedule[10], 0.5);
    EXPECT_DOUBLE_EQ(schedule[60], 1.0);
    EXPECT_DOUBLE_EQ(schedule[35], 0.75);
    EXPECT_EQ(schedule.end(), 2);
    EXPECT_EQ(piecewise_schedule(3, 1, knots, shares).steps(), 3);
    EXPECT_EQ(piecewise_schedule(7, 1, knots, std::vector<double>{1e-9, 1, 1e-9}).steps(), 7);
    EXPECT_THROW(piecewise_schedule(2, 1, knots, shares), InputError);
    EXPECT_THROW(piecewise_schedule(9, 1, knots, std::vector<double>{1, 1}), InputError);
    EXPECT_THROW(piecewise_schedule(9, 1, std::vector<double>{0.5, 0.4, 1}, shares), InputError);
    EXPECT_THROW(piecewise_schedule(9, 1, std::vector<double>{0.5, 0.7, 0.9}, shares), InputError);
    EXPECT_THROW(piecewise_schedule(9, 1, knots, std::vector<double>{1, 0, 1}), InputError);
}

TEST(Schedule, Exponential) {
    const auto schedule = exponential_schedule(50, 1, 100);
    for (Index k = 0; k <= 50; ++k)
        EXPECT_NEAR(schedule[k], (std::pow(100, static_cast<double>(k) / 50) - 1) / 99, 1e-14);
    EXPECT_EQ(exponential_schedule(7, 2, 1).points(), linear_schedule(7, 2).points());
    EXPECT_GT(exponential_schedule(10, 1, 0.01)[1], 0.1); // steps that shrink
}

// A conditional ESS that falls from 1 within a step of any `scale`, and one that is never large enough.
TEST(AdaptiveSchedule, FindsStepsOfAnySize) {
    const AdaptiveSchedule wanted;
    for (const double scale : {1e-3, 1e-20, 1e-200})
        for (const double from : {0.0, 300 * scale}) {
            const auto conditional_ess = [&](double to) { return std::exp(-(to - from) / scale); };
            const double step = next_of(wanted, from, infinity, conditional_ess) - from;
            EXPECT_GT(step, 0) << scale;
            EXPECT_GE(std::exp(-step / scale), wanted.conditional_ess);
            EXPECT_LE(std::exp(-2.1 * step / scale), wanted.conditional_ess); // no less than half of the longest
        }
    EXPECT_THROW(next_of(wanted, 0, infinity, [](double) { return 0.1; }), NumericalError);
    EXPECT_THROW(next_of(wanted, 0.5, infinity, [](double) { return 0.1; }), NumericalError);
}

/// Catches a step that depends on how many bisections a call makes, and calls that save nothing.
TEST(AdaptiveSchedule, BisectionsOfACallLeaveNoTrace) {
    const AdaptiveSchedule wanted;
    for (const double scale : {1e3, 19.5, 0.37, 1e-3, 1e-20})
        for (int levels = 1; levels <= 5; ++levels) {
            const auto conditional_ess = [&](double to) { return std::exp(-(to - 0.1) * (to - 0.1) / scale); };
            int calls = 0;
            const auto of_many = [&](std::span<const double> to) {
                ++calls;
                std::vector<double> ess;
                std::ranges::transform(to, std::back_inserter(ess), conditional_ess);
                return ess;
            };
            EXPECT_EQ(next_of(wanted, 0.1, infinity, of_many, levels), next_of(wanted, 0.1, infinity, conditional_ess));
            EXPECT_LE(calls, 1 + 60 / levels);
            EXPECT_TRUE(scale != 0.37 || levels < 4 || calls <= 6);
        }
}

} // namespace
} // namespace pearlite::path
