// Thermodynamic integration by parallel tempering with a vague prior and many data: refused if the ladder is too steep
// near b = 0, otherwise right. z-scores are compared with 5 (a false alarm once in 2e6; five times).
#include "algorithm/tempering_runs.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// Two means of n observations each, of variance 1, which average 1 and -2, under N(0, 10^2) priors.
struct TwoMeans {
    double n = 10000;
    std::vector<std::string> parameter_names() const { return {"first", "second"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& each : x)
            each = 10 * stream.normal();
    }
    double log_prior(std::span<const double> x) const {
        return -(x[0] * x[0] + x[1] * x[1]) / 200 - std::log(200 * std::numbers::pi);
    }
    double log_likelihood(std::span<const double> x) const {
        return -n / 2 * (std::pow(x[0] - 1, 2) + std::pow(x[1] + 2, 2));
    }
    double exact_log_ratio() const {
        const double precision = n + 0.01;
        return std::log(0.01 / precision) - 5 * 0.005 * n / precision;
    }
};

TEST(TemperingIntegral, EvenStepsUnderAVaguePriorAreRefused) {
    for (const double n : {100.0, 10000.0}) {
        const auto outcome = tempered(TwoMeans{n}, path::linear_schedule(31, 1), 1);
        const auto& integral = outcome.log_ratio[1];
        EXPECT_TRUE(std::isnan(integral.value)) << n;
        EXPECT_FALSE(integral.standard_error || integral.interval95);
        EXPECT_NE(integral.note.find("curvature"), std::string::npos) << integral.note;
        if (outcome.log_ratio[0].standard_error) { // else withheld, for the systems have not met
            EXPECT_LT(std::fabs(z_of(outcome.log_ratio[0], TwoMeans{n}.exact_log_ratio())), 5) << n;
        }
        const auto [value, error] = unrefused(outcome);
        EXPECT_GT(std::fabs(value - TwoMeans{n}.exact_log_ratio()) / error, 5) << n;
    }
}

TEST(TemperingIntegral, AnAdaptedLadderIntegratesIt) {
    for (const double n : {100.0, 10000.0})
        for (std::uint64_t seed : {1, 2}) {
            const auto outcome = tempered(TwoMeans{n}, path::AdaptiveSchedule{1, 0.8}, seed);
            for (const auto& estimate : outcome.log_ratio) {
                ASSERT_TRUE(estimate.standard_error) << estimate.note;
                EXPECT_LT(std::fabs(z_of(estimate, TwoMeans{n}.exact_log_ratio())), 5) << estimate.estimator << n;
            }
        }
}

} // namespace
} // namespace pearlite::algorithm
