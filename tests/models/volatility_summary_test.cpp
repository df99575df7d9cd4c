#include "pearlite/models/volatility_summary.hpp"

#include "models/volatility_cases.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

namespace pearlite::models {
namespace {

using testing::volatility_cases;

/// Points of the plain variant, unconstrained.
Matrix points_of(const StochasticVolatility& density, const std::vector<VolatilityParameters>& parameters) {
    Matrix points(3, static_cast<Index>(parameters.size()));
    for (Index k = 0; k < points.cols(); ++k) {
        const auto& p = parameters[static_cast<std::size_t>(k)];
        points.col(k) << p.mu, density.parameters().unconstrained(1, p.phi),
            density.parameters().unconstrained(2, p.sigma);
    }
    return points;
}

TEST(VolatilitySummary, OfAConstantVolatilityIsThatVolatility) {
    const StochasticVolatility density({.returns = {0.5, -1, 0.2, 0.9}});
    const VolatilityParameters low{.mu = 0, .phi = 0.5, .sigma = 1e-7}, high{.mu = 2, .phi = 0.5, .sigma = 1e-7};
    const std::vector<double> weights{1, 3};
    const auto summary = summarise_volatility(density, points_of(density, {low, high}), weights,
                                              {.draws = 400, .particles = 50, .probabilities = {0.2, 0.3, 0.9}}, 1);
    const double mean = 0.25 + 0.75 * std::exp(1);
    ASSERT_EQ(summary.mean.size(), 4u);
    ASSERT_EQ(summary.quantiles.rows(), 3);
    for (Index t = 0; t < 4; ++t) {
        EXPECT_NEAR(summary.mean[static_cast<std::size_t>(t)], mean, 1e-4);
        EXPECT_NEAR(summary.quantiles(0, t), 1, 1e-4);
        EXPECT_NEAR(summary.quantiles(1, t), std::exp(1), 1e-4);
        EXPECT_NEAR(summary.quantiles(2, t), std::exp(1), 1e-4);
    }
    EXPECT_NEAR(summary.next_mean, mean, 1e-4);
    EXPECT_NEAR(summary.next_quantiles[0], 1, 1e-4);
    EXPECT_NEAR(summary.next_quantiles[1], std::exp(1), 1e-4);
}

/// One parameter: filtered and predicted distributions by quadrature, p(h_t | y_0 .. y_t) as a ratio of likelihoods.
/// The next return's distribution function comes from the likelihood of one more observation.
TEST(VolatilitySummary, AgreesWithQuadrature) {
    const auto& c = volatility_cases()[0];
    const auto y = c.returns(12);
    const StochasticVolatility density({.returns = y});
    const auto summary = summarise_volatility(density, points_of(density, {c.parameters}), std::vector{2.0},
                                              {.draws = 200, .particles = 1000, .samples = 100}, 2);
    auto longer = y;
    longer.push_back(0);
    const double base = quadrature_log_likelihood(c.parameters, y);
    double below[3] = {0, 0, 0}, sum = 0;
    constexpr double step = 0.02;
    for (double next = -12; next < 12; next += step) {
        longer.back() = next;
        const double mass = std::exp(quadrature_log_likelihood(c.parameters, longer) - base) * step;
        sum += mass;
        for (int k = 0; k < 3; ++k)
            below[k] += next < summary.return_quantiles[static_cast<std::size_t>(k)] ? mass : 0;
    }
    EXPECT_NEAR(sum, 1, 1e-3);
    const double expected[3] = {0.05, 0.5, 0.95};
    for (int k = 0; k < 3; ++k) // 40000 samples: four standard errors, and half a step of the rule
        EXPECT_NEAR(below[k], expected[k], 4 * std::sqrt(0.25 / 40000) + 0.005);

    // E[exp(h_t/2) | y_0 .. y_t] by the filter in double precision.
    const VolatilityProcess process(c.parameters, y);
    std::vector<double> mean(y.size());
    random::Stream stream({93});
    constexpr int repeats = 100;
    double next_mean = 0;
    for (int r = 0; r < repeats; ++r)
        run_filter(process, {.particles = 2000}, stream, [&](Index t, auto states, auto log_weights) {
            for (std::size_t i = 0; i < states.size(); ++i) {
                mean[static_cast<std::size_t>(t)] += std::exp(log_weights[i] + states[i].h / 2) / repeats;
                if (t + 1 == process.length())
                    next_mean += std::exp(log_weights[i] + states[i].next_mean / 2 + 0.25 / 8) / repeats;
            }
        });
    for (std::size_t t = 0; t < y.size(); ++t)
        EXPECT_NEAR(summary.mean[t], mean[t], 0.006 * mean[t]); // some six standard errors
    EXPECT_NEAR(summary.next_mean, next_mean, 0.006 * next_mean);
}

TEST(VolatilitySummary, QuantilesCoverTheVolatilityThatDataWereDrawnWith) {
    const auto& c = volatility_cases()[0];
    random::Stream stream({94});
    const auto simulated = simulate_volatility(c.parameters, 1000, stream);
    const StochasticVolatility density({.returns = simulated.returns});
    const auto summary =
        summarise_volatility(density, points_of(density, {c.parameters}), std::vector{1.0}, {.draws = 20}, 3);
    double inside = 0;
    for (std::size_t t = 0; t < 1000; ++t) {
        const double volatility = std::exp(simulated.log_variances[t] / 2);
        const auto k = static_cast<Index>(t);
        inside += volatility > summary.quantiles(0, k) && volatility < summary.quantiles(2, k);
    }
    EXPECT_NEAR(inside, 900, 45); // neighbours are correlated; independent ones had standard error 9.5
}

TEST(VolatilitySummary, IsAPureFunction) {
    const auto& c = volatility_cases()[0];
    const StochasticVolatility density({.returns = c.returns(20)});
    const auto points = points_of(density, {c.parameters, volatility_cases()[1].parameters});
    const auto once = summarise_volatility(density, points, std::vector{1.0, 2.0}, {.draws = 10}, 4);
    const auto again = summarise_volatility(density, points, std::vector{1.0, 2.0}, {.draws = 10}, 4);
    const auto other = summarise_volatility(density, points, std::vector{1.0, 2.0}, {.draws = 10}, 5);
    EXPECT_EQ(once.mean, again.mean);
    EXPECT_EQ(once.return_quantiles, again.return_quantiles);
    EXPECT_NE(once.mean, other.mean);
}

TEST(VolatilitySummary, RefusesWhatMakesNoSense) {
    const StochasticVolatility density({.returns = {1}});
    const auto points = points_of(density, {{}});
    EXPECT_THROW(summarise_volatility(density, points, std::vector{1.0, 1.0}, {}, 1), ContractViolation);
    EXPECT_THROW(summarise_volatility(density, points, std::vector{0.0}, {}, 1), ContractViolation);
    EXPECT_THROW(summarise_volatility(density, points, std::vector{1.0}, {.draws = 0}, 1), ContractViolation);
    Matrix degenerate = points;
    degenerate(1, 0) = 60;
    degenerate(2, 0) = -800;
    EXPECT_THROW(summarise_volatility(density, degenerate, std::vector{1.0}, {}, 1), NumericalError);
}

} // namespace
} // namespace pearlite::models
