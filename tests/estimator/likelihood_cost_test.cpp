#include "estimator/likelihood_cost.hpp"

#include "pearlite/core/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace pearlite::estimator {
namespace {

/// log10 of the variance with the least cost on a fine grid.
double best_on_grid(const LikelihoodCost& cost) {
    double best = 0, least = INFINITY;
    for (double log_variance = -8; log_variance <= 8; log_variance += 1e-4) {
        const double log_cost =
            cost.schedule_tau * std::pow(10, log_variance) +
            std::log(cost.gamma2 * cost.seconds_per_particle / std::pow(10, log_variance) + cost.seconds_base);
        if (log_cost < least) {
            least = log_cost;
            best = log_variance;
        }
    }
    return best;
}

TEST(LikelihoodCost, OptimumIsThatOfBruteForce) {
    for (const double tau : {0.01, 0.2, 1.0})
        for (const double gamma2 : {0.3, 20.0, 5000.0})
            for (const double base : {0.0, 1e-7, 1e-4, 0.1}) {
                const LikelihoodCost cost{gamma2, base, 1e-6, tau};
                EXPECT_NEAR(std::log10(cost.optimal_variance()), best_on_grid(cost), 2e-4)
                    << tau << " " << gamma2 << " " << base;
            }
}

TEST(LikelihoodCost, WithoutOverheadTheOptimumIsOneOverTau) {
    EXPECT_NEAR((LikelihoodCost{7, 0, 3e-5, 0.25}.optimal_variance()), 4, 1e-12);
    EXPECT_NEAR((LikelihoodCost{7, 0, 3e-5, 0.25}.particles(4)), 1.75, 1e-12);
}

TEST(LikelihoodCost, AWrongRootIsWorse) {
    // The formula with the wrong sign of the overhead, and without tau in the root.
    const LikelihoodCost cost{20, 2e-5, 1e-6, 0.3};
    const double g = 20e-6, tau = 0.3;
    const double best = cost.at(cost.optimal_variance());
    for (const double wrong : {1 / tau, 2 * g / (tau * g + std::sqrt(tau * tau * g * g + 4 * 2e-5 * g))})
        EXPECT_GT(cost.at(wrong), 1.01 * best);
    for (const double factor : {0.98, 1.02})
        EXPECT_GT(cost.at(factor * cost.optimal_variance()), best);
}

TEST(FitTime, FindsALine) {
    const std::vector<double> n{4, 8, 16, 64, 256};
    std::vector<double> seconds;
    for (const double value : n)
        seconds.push_back(2e-5 + 3e-7 * value);
    const TimeLine line = fit_time(n, seconds);
    EXPECT_NEAR(line.base, 2e-5, 1e-12);
    EXPECT_NEAR(line.per_particle, 3e-7, 1e-14);
    EXPECT_LT(line.largest_relative_residual, 1e-9);
}

TEST(FitTime, MinimisesRelativeErrors) {
    const std::vector<double> n{4, 8, 16, 64, 256}, seconds{2.2e-5, 2.0e-5, 2.6e-5, 3.7e-5, 1.0e-4};
    const TimeLine line = fit_time(n, seconds);
    const auto loss = [&](double base, double slope) {
        double sum = 0;
        for (std::size_t k = 0; k < n.size(); ++k)
            sum += std::pow((base + slope * n[k]) / seconds[k] - 1, 2);
        return sum;
    };
    const double least = loss(line.base, line.per_particle);
    for (const double a : {0.99, 1.0, 1.01})
        for (const double b : {0.99, 1.0, 1.01})
            EXPECT_LE(least, loss(a * line.base, b * line.per_particle));
}

TEST(LikelihoodNoise, OfExactLikelihoodsIsNone) {
    EXPECT_EQ(noise_shares(0.1, 0, 0.1, 100).likelihood, 0);
    EXPECT_DOUBLE_EQ(noise_shares(0.1, 0, 0.1, 100).annealing, 0.1);
    EXPECT_NEAR(noise_shares(0.1, 50, 1, 100).likelihood, 0.1, 1e-12);
    EXPECT_EQ(noise_factor(std::vector<double>{0, 0.5, 1}), 0.5);
}

TEST(FitTime, NeitherPartIsNegative) {
    const TimeLine no_base = fit_time(std::vector<double>{10, 20, 40}, std::vector<double>{0.5, 1.5, 4});
    EXPECT_EQ(no_base.base, 0);
    EXPECT_GT(no_base.per_particle, 0);
    const TimeLine flat = fit_time(std::vector<double>{10, 20, 40}, std::vector<double>{4, 3, 2});
    EXPECT_EQ(flat.per_particle, 0);
    EXPECT_GT(flat.base, 0);
    EXPECT_THROW(fit_time(std::vector<double>{10}, std::vector<double>{4}), ContractViolation);
    EXPECT_THROW(fit_time(std::vector<double>{10, 10}, std::vector<double>{4, 5}), ContractViolation);
}

} // namespace
} // namespace pearlite::estimator
