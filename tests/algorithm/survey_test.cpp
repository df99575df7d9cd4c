// Surveys of paths whose g and tau are known, and the schedules made of them. Comparisons with exact variances are in
// units of the standard error of a sample variance, sqrt(2/M) of it, at 4.5 of these (a false alarm once in 1e5).
#include "algorithm/alone.hpp"
#include "algorithm/pilot/survey.hpp"

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/pilot/survey_record.hpp"
#include "algorithm/survey_models.hpp"
#include "kernel/native.hpp"
#include "path/optimal/optimal_schedule.hpp"
#include "path/optimal/profile.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Holds = SurveySettings::Holds;

const path::Relaxation bump = [](double b) { return 1 + 300 * std::exp(-(b - 0.6) * (b - 0.6) / 0.02); };
const path::Relaxation slow_end = [](double b) { return 0.5 + 200 * b * b; };
const path::Relaxation perfect = [](double) { return 1e-9; };

SurveyRecord surveyed(const path::Relaxation& relaxation, Holds holds, Index dimension, SurveySettings settings) {
    settings.holds = holds;
    auto survey = survey_of(alone, RelaxingGaussian(relaxation, dimension), settings);
    complete(survey);
    return *survey.found().survey;
}

AnnealedImportance annealed(const path::Relaxation& relaxation, const path::Schedule& schedule, Index particles) {
    const auto target = model::target_of(RelaxingGaussian(relaxation, 1));
    AnnealedImportance sampler(alone, target, schedule, kernel::Native(target), {particles, 64, 11});
    complete(sampler);
    return sampler;
}

TEST(Survey, RunsHaveTheExactVariancesOfTheirSchedules) {
    constexpr Index particles = 2000, steps = 2000;
    const auto profile = path::exact_profile(slow_end, 2000);
    for (const bool with_tau : {false, true}) {
        const auto schedule =
            path::equal_length_schedule(steps, profile.inverse_temperature, profile.speed_limit(with_tau));
        const auto exact = path::exact_cost(schedule, slow_end);
        const auto moments = annealed(slow_end, schedule, particles).outcome().log_weights.front();
        EXPECT_NEAR(moments.variance / exact.variance, 1, 4.5 * std::sqrt(2.0 / particles)) << with_tau;
        const double twice_excess_work = 2 * (-0.5 * std::log(100) - moments.mean);
        EXPECT_NEAR(twice_excess_work, exact.twice_excess_work, 9 * std::sqrt(moments.variance / particles));
        // The wrong twin believes in perfect mixing.
        const double wrong = path::cost_of(schedule, profile).perfect_mixing;
        EXPECT_GT(std::abs(moments.variance / wrong - 1), 4.5 * std::sqrt(2.0 / particles));
    }
}

TEST(Survey, PerfectTransitionsHaveTheVarianceOfTheFunctional) {
    const auto profile = path::exact_profile(perfect, 4000);
    const auto schedule = path::equal_length_schedule(500, profile.inverse_temperature, profile.speed_limit(false));
    constexpr Index particles = 40000;
    const double variance = annealed(perfect, schedule, particles).outcome().log_weights.front().variance;
    EXPECT_NEAR(variance / path::cost_of(schedule, profile).perfect_mixing, 1, 0.05);
}

TEST(Survey, FindsFluctuationsAndMemory) {
    const SurveySettings settings{
        .steps = 1000, .trajectories = 100, .block = 16, .seed = 3, .knots = 32, .hold_sweeps = 20000};
    const Index dimension = 20;
    const auto record = surveyed(slow_end, Holds::tau, dimension, settings);
    ASSERT_TRUE(record.has_tau);
    EXPECT_FALSE(record.profile.tau_is_lower_bound);
    EXPECT_EQ(record.repaired, 0);
    const auto exact = path::exact_profile(slow_end, 4000);
    double squares = 0;
    for (std::size_t j = 0; j < record.knots.tau.size(); ++j) {
        const auto tau = path::log_interpolated(exact.inverse_temperature, exact.tau,
                                                std::vector{record.knots.inverse_temperature[j]})[0];
        squares += std::pow(std::log(record.knots.tau[j] / tau), 2);
    }
    EXPECT_LT(std::sqrt(squares / static_cast<double>(record.knots.tau.size())), 0.2);
    auto profile = record.profile;
    profile.variance_u = path::smoothed_in_length(profile.inverse_temperature, profile.variance_u, 0.02);
    for (const Index steps : {10000, 100000}) {
        const auto schedule =
            path::equal_length_schedule(steps, profile.inverse_temperature, profile.speed_limit(true));
        const double truth = dimension * path::exact_cost(schedule, slow_end).variance;
        EXPECT_NEAR(path::cost_of(schedule, profile).measured_mixing / truth, 1, 0.2) << steps;
        // It costs at most a tenth more than the best schedule, and less than the linear one.
        const auto best = path::equal_length_schedule(steps, exact.inverse_temperature, exact.speed_limit(true));
        EXPECT_LT(truth, 1.1 * dimension * path::exact_cost(best, slow_end).variance);
        EXPECT_LT(truth, dimension * path::exact_cost(path::linear_schedule(steps, 1), slow_end).variance);
    }
}

TEST(Survey, GoesWithoutHolds) {
    const SurveySettings settings{.steps = 4000, .trajectories = 400, .block = 16, .seed = 4};
    const auto record = surveyed(slow_end, Holds::none, 20, settings);
    EXPECT_FALSE(record.has_tau);
    EXPECT_TRUE(record.knots.tau.empty());
    const auto& b = record.profile.inverse_temperature;
    auto limit = path::smoothed_in_length(b, record.friction, 0.05);
    for (double& value : limit)
        value = std::sqrt(value);
    const auto cost = path::exact_cost(path::equal_length_schedule(10000, b, limit), slow_end);
    EXPECT_LT(cost.variance, 0.0245); // linear 0.0249, VAROPT 0.0481, best 0.0225
}

TEST(Survey, BudgetsMakeLowerBounds) {
    const SurveySettings settings{
        .steps = 200, .trajectories = 50, .block = 16, .seed = 5, .knots = 8, .hold_sweeps = 100};
    const auto record = surveyed(bump, Holds::tau, 5, settings);
    EXPECT_TRUE(record.profile.tau_is_lower_bound);
    for (std::size_t j = 0; j < record.knots.sweeps.size(); ++j) {
        EXPECT_LE(record.knots.sweeps[j], 100);
        EXPECT_EQ(record.knots.is_lower_bound[j] != 0,
                  0.75 * static_cast<double>(record.knots.sweeps[j]) < 20 * record.knots.tau[j])
            << j;
    }
}

TEST(Survey, MeansAtEvenKnots) {
    const SurveySettings settings{
        .steps = 100, .trajectories = 200, .block = 16, .seed = 6, .knots = 6, .hold_sweeps = 600};
    const auto record = surveyed(slow_end, Holds::mean, 1, settings);
    ASSERT_EQ(record.knots.mean_u.size(), 5u);
    for (std::size_t j = 0; j < 5; ++j) {
        const double b = record.knots.inverse_temperature[j];
        EXPECT_NEAR(b, 0.2 * static_cast<double>(j + 1), 1e-12);
        // sd(u)/E[u] is sqrt 2; of 500 sweeps of 200 trajectories.
        const double tau = 2 * slow_end(b) + 1;
        EXPECT_NEAR(record.knots.mean_u[j] / (path::relaxing_factor / path::relaxing_precision(b)), 1,
                    4.5 * std::sqrt(2 * std::min(1.0, tau / 500) / 200));
        EXPECT_EQ(record.knots.sweeps[j], 600);
    }
}

TEST(Fluctuations, AreThoseOfPairs) {
    const std::vector<double> u{3, -1, 4, 1, 5, -9, 2, 6}, log_weights{0.1, 0.5, -0.2, 0, 0.3, 0.2, -0.4, 0};
    double sum = 0;
    std::vector<double> w;
    for (const double log_weight : log_weights)
        w.push_back(std::exp(log_weight));
    for (const double each : w)
        sum += each;
    double mean = 0, variance = 0, difference = 0, pairs = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        mean += w[i] / sum * u[i];
    for (std::size_t i = 0; i < u.size(); ++i)
        for (std::size_t j = 0; j < u.size(); ++j)
            if (i != j) {
                variance += w[i] * w[j] * (u[i] - u[j]) * (u[i] - u[j]) / 2;
                difference += w[i] * w[j] * std::abs(u[i] - u[j]) / 2;
                pairs += w[i] * w[j];
            }
    const auto found = fluctuations_of(u, log_weights);
    EXPECT_NEAR(found.mean, mean, 1e-12);
    EXPECT_NEAR(found.variance, variance / pairs, 1e-12);
    EXPECT_NEAR(found.half_difference, difference / pairs, 1e-12);
    EXPECT_GT(found.ess, 4);
    // Weights that say too little are left aside.
    const std::vector<double> uneven{0, -50, -50, -50, -50, -50, -50, -50};
    EXPECT_NEAR(fluctuations_of(u, uneven).mean, 11.0 / 8, 1e-12);
    EXPECT_NEAR(fluctuations_of(u, uneven).ess, 1, 1e-12);
}

TEST(Fluctuations, AHoldKnowsSlowDeviationsThatAMeanWithinTrajectoriesHides) {
    // Trajectories that never move: rho is 1 at every lag.
    Matrix u(40, 30);
    for (Index i = 0; i < u.cols(); ++i)
        u.col(i).setConstant(std::sin(static_cast<double>(i)));
    const auto found = estimate_of_hold(u);
    EXPECT_NEAR(found.tau, 79, 1e-6); // 1 + 2 x 39: the hold's length is the limit
    Matrix alternating(40, 30);
    for (Index s = 0; s < 40; ++s)
        alternating.row(s) = (s % 2 == 0 ? 1 : -1) * u.row(s);
    EXPECT_EQ(estimate_of_hold(alternating).tau, 1);
}

} // namespace
} // namespace pearlite::algorithm
