#include "app/run/pace.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::app {
namespace {

algorithm::Progress at(Index step, Index steps, double inverse_temperature = 0) {
    algorithm::Progress progress{step, steps, inverse_temperature, 0, 0};
    return progress;
}

TEST(Pace, GoesOnAsTheStepsSoFar) {
    Pace pace(at(10, 0), 3);
    EXPECT_FALSE(pace.seconds_left());
    pace.add(at(14, 100), 5, 400);
    EXPECT_EQ(pace.steps_left(), 86);
    EXPECT_DOUBLE_EQ(*pace.seconds_left(), 43);
    EXPECT_DOUBLE_EQ(*pace.work_left(), 8600);
    pace.add(at(100, 100), 60, 9000);
    EXPECT_EQ(pace.seconds_left(), 0);
}

/// Steps of an adaptive schedule along a path on which b + c grows by `growth` a step, each twice as dear as in the
/// first ten.
Pace adaptive(double growth, double c, int seen, double& left) {
    double b = 0;
    int steps = 0;
    Pace pace(at(0, 0), 0);
    for (; b < 1; ++steps) {
        b = std::min(1.0, (b + c) * growth - c);
        if (steps < seen)
            pace.add(at(steps + 1, 0, b), steps + 1, 10);
    }
    left = steps - seen;
    return pace;
}

TEST(Pace, ExtrapolatesAdaptiveTemperatures) {
    for (const double growth : {1.02, 1.2, 1.6, 2.5})
        for (const double c : {1e-6, 1e-3, 0.3})
            for (const int seen : {3, 5, 8}) {
                double left = 0;
                const auto pace = adaptive(growth, c, seen, left);
                if (left > 0) {
                    EXPECT_NEAR(*pace.steps_left(), left, 1) << growth << " " << c << " " << seen;
                }
            }
}

TEST(Pace, KnowsNothingOfTemperaturesAtFirst) {
    double left = 0;
    EXPECT_FALSE(adaptive(1.2, 0.1, 1, left).steps_left());
    EXPECT_FALSE(adaptive(1.2, 0.1, 1, left).seconds_left());
}

TEST(Pace, TakesTheCostOfAdaptiveStepsFromTheLastThird) {
    Pace pace(at(0, 0), 0);
    for (int t = 1; t <= 9; ++t) // even steps in b, of 1 s; the last three of 4 s
        pace.add(at(t, 0, 0.05 * t), t <= 6 ? t : 6 + 4.0 * (t - 6), 1);
    EXPECT_NEAR(*pace.steps_left(), 11, 0.1);
    EXPECT_NEAR(*pace.seconds_left(), 44, 0.4);
}

TEST(Pace, ComparesPartsOfAStage) {
    Pace pace(at(0, 0), 0);
    for (int t = 1; t <= 3; ++t)
        pace.add(at(t, 0, 0.2 * t), t, t); // work 1, 2, 3, 4
    pace.end(4, 4);
    EXPECT_DOUBLE_EQ(pace.relative_work(0, 1), 1);
    EXPECT_DOUBLE_EQ(pace.relative_work(0, 0.5), 0.6);
    EXPECT_DOUBLE_EQ(pace.relative_work(0.75, 1), 1.6);
    EXPECT_EQ(pace.steps_left(), 0);
}

TEST(Pace, ForgetsMarksButNoSteps) {
    Pace pace(at(0, 0), 0);
    for (int t = 1; t <= 50'000; ++t)
        pace.add(at(t, 100'000), 0.001 * t, 2);
    EXPECT_EQ(pace.steps(), 50'000);
    EXPECT_NEAR(*pace.seconds_left(), 50, 1e-6);
    EXPECT_NEAR(*pace.work_left(), 1e5, 1e-6);
}

} // namespace
} // namespace pearlite::app
