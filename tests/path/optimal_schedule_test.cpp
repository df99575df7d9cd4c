#include "path/optimal/optimal_schedule.hpp"

#include "path/optimal/profile.hpp"
#include "path/relaxing_gaussian.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace pearlite::path {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A normal density whose precision grows from 1 to 10: g = 40.5/precision^2.
PathProfile precision_one_to_ten(std::size_t n) {
    PathProfile profile;
    for (std::size_t i = 0; i <= n; ++i) {
        const double b = static_cast<double>(i) / static_cast<double>(n), precision = 1 + 9 * b;
        profile.inverse_temperature.push_back(b);
        profile.variance_u.push_back(40.5 / (precision * precision));
        profile.tau.push_back(1);
    }
    return profile;
}

double analytic(double s) {
    return (std::pow(10, s) - 1) / 9;
}

double largest_difference(const Schedule& schedule) {
    double largest = 0;
    for (Index k = 0; k <= schedule.steps(); ++k)
        largest = std::max(
            largest, std::abs(schedule[k] - analytic(static_cast<double>(k) / static_cast<double>(schedule.steps()))));
    return largest;
}

TEST(OptimalSchedule, IsTheAnalyticOneOfAGrowingPrecision) {
    const auto profile = precision_one_to_ten(20000);
    const auto limit = profile.speed_limit(false);
    const OptimalSettings plain{.floor = 0, .cap = {}};
    for (const Index steps : {10, 1000}) {
        EXPECT_LT(largest_difference(equal_length_schedule(steps, profile.inverse_temperature, limit, plain)), 1e-6);
        EXPECT_LT(largest_difference(fixed_point_schedule(steps, profile.inverse_temperature, limit, plain)), 1e-6);
    }
    EXPECT_NEAR(least_cost(profile, false), 2.651, 5e-4);
    const auto linear = cost_of(linear_schedule(1000, 1), profile);
    const auto optimal = cost_of(equal_length_schedule(1000, profile.inverse_temperature, limit, plain), profile);
    EXPECT_NEAR(1000 * linear.perfect_mixing, 4.05, 5e-3);
    EXPECT_NEAR(1000 * optimal.perfect_mixing, 2.651, 1e-3);
    EXPECT_NEAR(optimal.finite_steps / optimal.perfect_mixing, 1, 0.01); // no memory: Euler's sum of the integral
    // The wrong twin goes through equal lengths of g in place of sqrt(g).
    EXPECT_GT(largest_difference(equal_length_schedule(1000, profile.inverse_temperature, profile.variance_u, plain)),
              0.1);
}

TEST(OptimalSchedule, AFloorBoundsTheSlopeAndCostsLittle) {
    // Nearly all of the length lies in the first thousandth of the path.
    PathProfile profile;
    for (int i = 0; i <= 4000; ++i) {
        const double b = std::pow(i / 4000.0, 3);
        profile.inverse_temperature.push_back(b);
        profile.variance_u.push_back(1e8 / std::pow(1 + 1e4 * b, 4));
        profile.tau.push_back(1);
    }
    const auto limit = profile.speed_limit(false);
    const auto plain = equal_length_schedule(2000, profile.inverse_temperature, limit, {.floor = 0, .cap = {}});
    const auto floored = equal_length_schedule(2000, profile.inverse_temperature, limit);
    const auto longest = [](const Schedule& schedule) {
        double step = 0;
        for (Index k = 1; k <= schedule.steps(); ++k)
            step = std::max(step, (schedule[k] - schedule[k - 1]) * static_cast<double>(schedule.steps()));
        return step;
    };
    EXPECT_GT(longest(plain), 500);
    EXPECT_LE(longest(floored), 20.0001);
    const double without = cost_of(plain, profile).perfect_mixing, with = cost_of(floored, profile).perfect_mixing;
    EXPECT_LE(with, 1.02 * without / 0.95);
    EXPECT_GE(with, without);
    const auto capped = equal_length_schedule(2000, profile.inverse_temperature, limit, {.floor = 0, .cap = 3});
    EXPECT_LE(longest(capped), 3.0001);
    EXPECT_EQ(capped.end(), 1);
}

TEST(OptimalSchedule, ACapScalesTheShorterStepsAlike) {
    const Schedule schedule({0, 0.01, 0.03, 0.1, 1});
    const auto found = capped(schedule, 2);
    const std::vector<double> expected{0.05, 0.1, 0.35, 0.5}; // the last at 2/4, the others 5 times as long
    for (Index k = 0; k < 4; ++k)
        EXPECT_NEAR(found[k + 1] - found[k], expected[static_cast<std::size_t>(k)], 1e-12) << k;
    const auto two = capped(schedule, 1.2); // two steps at 0.3: the others 0.4 in the ratio 1 to 2
    EXPECT_NEAR(two[1], 0.4 / 3, 1e-12);
    EXPECT_NEAR(two[2], 0.4, 1e-12);
    EXPECT_NEAR(two[3], 0.7, 1e-12);
    const auto even = capped(schedule, 1);
    for (Index k = 0; k <= 4; ++k)
        EXPECT_NEAR(even[k], 0.25 * static_cast<double>(k), 1e-12);
    EXPECT_THAT([&] { capped(schedule, 0.99); }, ThrowsMessage<InputError>(HasSubstr("at least")));
}

TEST(OptimalSchedule, Gms13SharesStepsByMomentsOfTheKnots) {
    const std::vector<double> knots{0, 0.5, 0.75, 1}, means{0, 2, 1, 5}; // shares 1, 0, 1
    const auto schedule = gms13_schedule(101, knots, means);
    const auto in = [&](double from, double to) {
        return std::ranges::count_if(schedule.points(), [&](double b) { return b > from + 1e-12 && b <= to + 1e-12; });
    };
    EXPECT_EQ(in(0.5, 0.75), 1);
    EXPECT_EQ(in(0, 0.5), 50);
    EXPECT_EQ(in(0.75, 1), 50);
}

TEST(Profile, SmoothingKeepsStraightLinesAndAveragesNoise) {
    const auto clean = precision_one_to_ten(500);
    const auto smooth = smoothed_in_length(clean.inverse_temperature, clean.variance_u, 0.02);
    auto noisy = clean.variance_u;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
        EXPECT_NEAR(smooth[i] / clean.variance_u[i], 1, 2e-3); // log g is straight in the length
        noisy[i] *= i % 2 == 0 ? 1.2 : 1 / 1.2;
    }
    const auto averaged = smoothed_in_length(clean.inverse_temperature, noisy, 0.02);
    for (std::size_t i = 0; i < noisy.size(); ++i)
        // At the ends half of the window is missing.
        EXPECT_NEAR(averaged[i] / clean.variance_u[i], 1, i < 30 || i > 470 ? 0.08 : 0.01) << i;
    const auto convolved = smoothed_in_temperature(clean.inverse_temperature, std::vector<double>(501, 7.0), 0.01);
    for (const double value : convolved)
        EXPECT_NEAR(value, 7, 1e-12);
}

TEST(Profile, RepairsWhatIsNotFiniteFromTheNearest) {
    std::vector<double> values{HUGE_VAL, std::nan(""), 3, 0, 5, std::nan("")};
    EXPECT_EQ(repair(values), 3); // 0: nothing varied in the sample
    EXPECT_EQ(values, (std::vector<double>{3, 3, 3, 3, 5, 5}));
    std::vector<double> none{0, std::nan("")};
    EXPECT_THROW(repair(none), NumericalError);
}

TEST(PathLength, IntegratesExponentialsExactly) {
    const std::vector<double> points{0, 0.3, 2}, values{std::exp(1.0), std::exp(1.6), std::exp(5.0)}; // e^{1 + 2 b}
    const Integral integral(points, values);
    for (const double b : {0.0, 0.1, 0.3, 1.7, 2.0})
        EXPECT_NEAR(integral.up_to(b), (std::exp(1 + 2 * b) - std::exp(1)) / 2, 1e-12 * integral.total());
    EXPECT_NEAR(integral.integrand(1), std::exp(3), 1e-12);
}

// Kernels that remember: the exact variance and excess work of a schedule, beside its predictions (ALGORITHMS 5 of the
// project's notes lists the same figures; `predicted` is the integral).
struct Figures {
    double variance, twice_excess_work, predicted;
};
void expect_figures(const Relaxation& relaxation, Index steps, const Schedule& schedule, const Figures& figures) {
    const auto exact = exact_cost(schedule, relaxation);
    const auto predicted = cost_of(schedule, exact_profile(relaxation, 4000));
    const double digits = 6e-3;
    EXPECT_NEAR(exact.variance / figures.variance, 1, digits) << steps;
    if (figures.twice_excess_work > 0) {
        EXPECT_NEAR(exact.twice_excess_work / figures.twice_excess_work, 1, digits) << steps;
    }
    EXPECT_NEAR(predicted.measured_mixing / figures.predicted, 1, digits) << steps;
}

class SlowKernels : public ::testing::Test {
  protected:
    static Schedule varopt(const Relaxation& relaxation, Index steps, bool with_tau) {
        const auto profile = exact_profile(relaxation, 4000);
        return equal_length_schedule(steps, profile.inverse_temperature, profile.speed_limit(with_tau),
                                     {.floor = 0, .cap = {}});
    }
};

TEST_F(SlowKernels, FiguresOfABumpInTheRelaxationTime) {
    const auto bump = [](double b) { return 1 + 300 * std::exp(-(b - 0.6) * (b - 0.6) / 0.02); };
    expect_figures(bump, 10000, linear_schedule(10000, 1), {0.0348, 0.0331, 0.0327});
    expect_figures(bump, 10000, varopt(bump, 10000, false), {0.0707, 0.0605, 0.0607});
    expect_figures(bump, 10000, varopt(bump, 10000, true), {0.0208, 0.0202, 0.0200});
}

TEST_F(SlowKernels, FiguresOfASlowEnd) {
    const auto slow_end = [](double b) { return 0.5 + 200 * b * b; };
    expect_figures(slow_end, 10000, linear_schedule(10000, 1), {0.0249, 0.0245, 0.0245});
    expect_figures(slow_end, 10000, varopt(slow_end, 10000, false), {0.0481, 0.0445, 0.0464});
    expect_figures(slow_end, 10000, varopt(slow_end, 10000, true), {0.0225, 0.0221, 0.0221});
    expect_figures(slow_end, 1000, linear_schedule(1000, 1), {0.286, 0, 0.245});
    expect_figures(slow_end, 1000, varopt(slow_end, 1000, false), {0.542, 0, 0.464});
    expect_figures(slow_end, 1000, varopt(slow_end, 1000, true), {0.263, 0, 0.221});
}

TEST_F(SlowKernels, WithFewStepsTheFiniteSumHasABetterMinimum) {
    const auto slow_end = [](double b) { return 0.5 + 200 * b * b; };
    const auto profile = exact_profile(slow_end, 2000);
    for (const Index steps : {200, 1000, 20000}) {
        const auto integral = equal_length_schedule(steps, profile.inverse_temperature, profile.speed_limit(true));
        const auto finite = finite_steps_schedule(steps, profile);
        const double before = cost_of(integral, profile).finite_steps, after = cost_of(finite, profile).finite_steps;
        EXPECT_LT(after, before * (1 + 1e-9)) << steps;
        if (steps == 200) {
            EXPECT_LT(after, 0.95 * before);
            // So it is in truth, and not because trajectories are outrun: excess work falls, too.
            EXPECT_LT(exact_cost(finite, slow_end).variance, 0.9 * exact_cost(integral, slow_end).variance);
            EXPECT_LT(exact_cost(finite, slow_end).twice_excess_work,
                      0.9 * exact_cost(integral, slow_end).twice_excess_work);
        } else if (steps == 20000) {
            EXPECT_GT(after, 0.99 * before); // the limit: both are the same
        }
    }
}

TEST_F(SlowKernels, PredictionsAreWithinATenthOfTheTruthForTheScheduleThatKnowsThem) {
    const auto bump = [](double b) { return 1 + 300 * std::exp(-(b - 0.6) * (b - 0.6) / 0.02); };
    const auto slow_end = [](double b) { return 0.5 + 200 * b * b; };
    for (const Relaxation& relaxation : {Relaxation(bump), Relaxation(slow_end)})
        for (const Index steps : {10000, 100000}) {
            const auto schedule = varopt(relaxation, steps, true);
            const auto predicted = cost_of(schedule, exact_profile(relaxation, 4000));
            const auto exact = exact_cost(schedule, relaxation);
            EXPECT_NEAR(predicted.measured_mixing / exact.variance, 1, 0.1) << steps;
            EXPECT_NEAR(predicted.finite_steps / exact.variance, 1, 0.1) << steps;
            EXPECT_LT(predicted.lag, 0.3);
        }
}

} // namespace
} // namespace pearlite::path
