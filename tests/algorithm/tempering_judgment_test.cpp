// Warnings of parallel tempering: systems in different modes, and kernels that do not move.
#include "algorithm/tempering_runs.hpp"
#include "estimator/evidence/mobility.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// Two normal peaks in four dimensions under a N(0, 5^2) prior, at (-3, ...) and (3, ...), of weights 0.7 and 0.3.
struct TwoPeaks {
    std::array<double, 2> sd{0.2, 1};
    std::array<double, 2> weight{0.7, 0.3};
    std::vector<std::string> parameter_names() const { return {"a", "b", "c", "d"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& each : x)
            each = 5 * stream.normal();
    }
    static double log_normal(std::span<const double> x, double mean, double sd) {
        double square = 0;
        for (const double each : x)
            square += (each - mean) * (each - mean);
        return -square / (2 * sd * sd) - 2 * std::log(2 * std::numbers::pi * sd * sd);
    }
    double log_prior(std::span<const double> x) const { return log_normal(x, 0, 5); }
    double log_likelihood(std::span<const double> x) const {
        return log_sum_exp(
            std::array{std::log(weight[0]) + log_normal(x, -3, sd[0]), std::log(weight[1]) + log_normal(x, 3, sd[1])});
    }
    double exact_log_ratio() const {
        const std::array<double, 4> centre{3, 3, 3, 3};
        return log_sum_exp(std::array{std::log(weight[0]) + log_normal(centre, 0, std::hypot(5, sd[0])),
                                      std::log(weight[1]) + log_normal(centre, 0, std::hypot(5, sd[1]))});
    }
};

bool disagrees(const Outcome& outcome) {
    return std::ranges::any_of(outcome.warnings, [](const auto& warning) {
        return warning.find("the systems disagree") != std::string::npos;
    });
}

/// A small run, and one of the default's size and ladder with the moves that it takes there.
struct Size {
    double conditional_ess;
    Index moves, systems, scans;
};
class TemperingJudgmentOf : public ::testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, TemperingJudgmentOf, ::testing::Values(Size{0.85, 4, 32, 400}, Size{0.6, 8, 64, 1000}));

// Eight runs; |z| > 5 by chance once in 2e5 runs.
TEST_P(TemperingJudgmentOf, SystemsInDifferentPeaksAreNamed) {
    const auto [conditional_ess, moves, systems, scans] = GetParam();
    Index wrong_twin = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        auto sampler =
            tempering_of(TwoPeaks{}, path::AdaptiveSchedule{1, conditional_ess}, seed, moves, systems, scans);
        complete(sampler);
        const auto outcome = sampler.outcome();
        const auto& headline = outcome.log_ratio.front();
        const double exact = TwoPeaks{}.exact_log_ratio();
        if (headline.standard_error) {
            EXPECT_LT(std::fabs(z_of(headline, exact)), 5) << seed;
        } else {
            EXPECT_TRUE(disagrees(outcome)) << seed;
        }
        const auto [value, error] = unrefused(outcome);
        wrong_twin += std::fabs(value - exact) > 5 * error ? 1 : 0;
    }
    EXPECT_GE(wrong_twin, 1);
}

TEST(TemperingJudgment, SystemsInPeaksOfOneWidthMeet) {
    const TwoPeaks equal{{1, 1}, {0.9, 0.1}};
    const auto outcome = tempered(equal, path::AdaptiveSchedule{1, 0.85}, 1);
    ASSERT_TRUE(outcome.log_ratio.front().standard_error);
    EXPECT_LT(std::fabs(z_of(outcome.log_ratio.front(), equal.exact_log_ratio())), 5);
    EXPECT_FALSE(disagrees(outcome));
}

TEST(TemperingJudgment, MobilityAndAcceptanceOfMovesAreRecorded) {
    auto sampler = tempering_of(TwoPeaks{{1, 1}, {0.5, 0.5}}, path::AdaptiveSchedule{1, 0.85}, 1, 8);
    complete(sampler);
    const auto found = sampler.found();
    const auto& trace = *found.trace;
    const auto n = trace.inverse_temperature.size();
    ASSERT_EQ(trace.mobility.size(), n);
    EXPECT_TRUE(std::isnan(trace.mobility.front())); // independent draws
    ASSERT_EQ(trace.acceptance.size(), n);
    EXPECT_TRUE(std::isnan(trace.acceptance.front()));
    EXPECT_EQ(trace.moves.front(), 0);
    for (std::size_t t = 1; t < n; ++t) {
        EXPECT_GT(trace.mobility[t], 0.05) << t;
        EXPECT_LT(trace.mobility_energy[t], 1.2) << t;
        EXPECT_EQ(trace.moves[t], 8);
        EXPECT_GT(trace.acceptance[t], 0.05) << t;
        EXPECT_LT(trace.acceptance[t], 0.9) << t;
        EXPECT_GT(trace.unmoved[t], std::pow(1 - trace.acceptance[t], 8) - 0.02) << t; // more, if places differ
    }
    EXPECT_NEAR(found.needed_mobility, 10.0 / 320, 1e-12);
    const auto least = [&](double needed) {
        return estimator::insufficient_mobility(
            {trace.inverse_temperature, trace.variance_u, trace.mobility, trace.mobility_energy, needed});
    };
    EXPECT_FALSE(least(found.needed_mobility));
    EXPECT_TRUE(least(1)); // the wrong twin: a kernel that must renew every state in a scan
}

} // namespace
} // namespace pearlite::algorithm
