// MBAR of tempering runs against exact answers, and its errors over runs. z-scores are compared with 5 (a false alarm
// once in 2e6); means of z^2 over runs with 5 of their standard errors.
#include "algorithm/densities.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"
#include "algorithm/tempering_runs.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "models/lattice/ising.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using models::AutoregressiveGaussian;
using models::Ising;

template <class M>
Outcome outcome_of(const M& model, const path::Schedule& schedule, const TemperingSettings& settings) {
    const auto target = model::target_of(model);
    ParallelTempering sampler(parallel::Communicator::alone(), target, schedule, kernel::Native(target), settings);
    complete(sampler);
    return sampler.outcome();
}

const estimator::Estimate& estimate_of(const Outcome& outcome, const std::string& name) {
    return *std::ranges::find(outcome.log_ratio, name, &estimator::Estimate::estimator);
}

AutoregressiveGaussian slow_gaussian() {
    return AutoregressiveGaussian({.start_mean = 2, .start_sd = 3}, 0.9);
}

TEST(TemperingMbar, IsingAgainstKaufmanAllAlongThePath) {
    const Ising ising({.size = 10, .move = models::IsingSettings::Move::heat_bath});
    TemperingSettings settings{64, 1000, 200, 1};
    settings.most_energy_bytes = std::size_t{23} * 64 * 800 * 8; // all: hardly correlated, they would be missed
    const auto outcome = outcome_of(ising, path::linear_schedule(22, 0.44), settings);
    const auto& b = array_of(outcome, "tempering/inverse_temperature");
    const auto& values = array_of(outcome, "tempering/log_ratio");
    const auto& errors = array_of(outcome, "tempering/log_ratio_standard_error");
    ASSERT_EQ(values.size(), 23u);
    EXPECT_EQ(values.front(), 0);
    for (std::size_t t = 1; t < b.size(); ++t)
        EXPECT_LT(std::fabs(values[t] - *ising.exact_log_ratio(b[t])), 5 * errors[t]) << b[t];
    EXPECT_EQ(values.back(), estimate_of(outcome, "mbar").value);
    EXPECT_LT(errors.back(), 1.05 * *estimate_of(outcome, "stepping-stone").standard_error);
}

TEST(TemperingMbar, ErrorsAreTrue) {
    const auto schedule = path::exponential_schedule(8, 1, 9);
    std::vector<double> squares, twin;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto outcome = outcome_of(slow_gaussian(), schedule, {32, 120, 20, seed});
        squares.push_back(std::pow(z_of(estimate_of(outcome, "mbar"), -std::log(3)), 2));
        twin.push_back(2 * squares.back()); // errors too small by sqrt 2
    }
    const double student = 31.0 / 29; // variance of Student's t of 31 degrees of freedom
    EXPECT_LT(std::fabs(MeanError(squares).z(student)), 5);
    EXPECT_GT(std::fabs(MeanError(twin).z(student)), 5);
}

TEST(TemperingMbar, FewerRecordsOfAllScansGiveTheSameWithinTheirErrors) {
    const auto schedule = path::exponential_schedule(8, 1, 9);
    TemperingSettings settings{32, 1200, 200, 1};
    const auto all = estimate_of(outcome_of(slow_gaussian(), schedule, settings), "mbar");
    settings.most_energy_bytes = std::size_t{9} * 32 * 50 * 8; // every 20th scan
    const auto some = estimate_of(outcome_of(slow_gaussian(), schedule, settings), "mbar");
    EXPECT_NE(some.value, all.value);
    EXPECT_GT(*some.standard_error, *all.standard_error);
    EXPECT_LT(std::fabs(some.value - all.value), 5 * *some.standard_error);
    settings.most_energy_bytes = 0;
    const auto none = outcome_of(slow_gaussian(), schedule, settings);
    EXPECT_EQ(none.log_ratio.size(), 2u);
}

struct NotLinear : AutoregressiveGaussian {
    using AutoregressiveGaussian::AutoregressiveGaussian;
    static constexpr bool path_is_linear = false;
};

TEST(TemperingMbar, APathThatIsNotLinearHasNone) {
    const NotLinear model({.start_mean = 2, .start_sd = 3}, 0.9);
    const auto outcome = outcome_of(model, path::exponential_schedule(8, 1, 9), {32, 120, 20, 1});
    EXPECT_EQ(std::ranges::count(outcome.log_ratio, "mbar", &estimator::Estimate::estimator), 0);
    EXPECT_EQ(outcome.log_ratio.size(), 2u);
}

} // namespace
} // namespace pearlite::algorithm
