#include "estimator/posterior.hpp"

#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

TEST(Predictive, SummariesOfKnownDraws) {
    Matrix draws(100, 2);
    for (Index i = 0; i < 100; ++i)
        draws.row(i) << static_cast<double>((37 * i) % 100 + 1), 5; // 1 .. 100 in some order
    const auto summary = summarise_predictive(draws);
    EXPECT_NEAR(summary.mean[0], 50.5, 1e-12);
    EXPECT_EQ(summary.mean[1], 5);
    EXPECT_EQ(summary.quantiles(0, 0), 3); // 2.5 % of 100 draws: the third
    EXPECT_EQ(summary.quantiles(3, 0), 50);
    EXPECT_EQ(summary.quantiles(5, 0), 95);
    EXPECT_EQ(summary.quantiles(2, 1), 5);
    const auto ranks = predictive_ranks(draws, std::vector<double>{30.5, 5});
    EXPECT_NEAR(ranks[0], 0.3, 1e-15);
    EXPECT_NEAR(ranks[1], 0.5, 1e-15); // ties count half
    EXPECT_NEAR(central_coverage(std::vector<double>{0.04, 0.06, 0.5, 0.94, 0.96}, 0.9), 0.6, 1e-15);
}

// Ranks of 2000 observations from their own predictive distribution: intervals hold what they should within four
// standard errors (false alarms 1e-4); predictions twice too narrow are found out.
TEST(Predictive, CoverageIsRightForRightPredictionsOnly) {
    constexpr Index n = 2000;
    for (const double scale : {1.0, 0.5}) {
        random::Stream stream({3, random::Purpose::test, 0, 0});
        Matrix draws(200, n);
        std::vector<double> observed;
        for (Index j = 0; j < n; ++j) {
            for (Index i = 0; i < draws.rows(); ++i)
                draws(i, j) = scale * stream.normal();
            observed.push_back(stream.normal());
        }
        const auto ranks = predictive_ranks(draws, observed);
        for (const double p : {0.5, 0.9}) {
            const double error = std::sqrt(p * (1 - p) / static_cast<double>(n));
            const double z = (central_coverage(ranks, p) - p) / error;
            if (scale == 1)
                EXPECT_LT(std::abs(z), 4) << p;
            else
                EXPECT_LT(z, -10) << p;
        }
    }
}

} // namespace
} // namespace pearlite::estimator
