#include "models/state_space/stochastic_volatility.hpp"

#include "models/volatility_cases.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::models {
namespace {

using testing::volatility_cases;

random::Address address(std::uint64_t id) {
    return {.seed = 1, .purpose = random::Purpose::prediction, .id = id, .step = 0};
}

/// Samples x times.
Matrix samples_of(const LabelledArray& array) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(array.values.data(), array.dimensions[0].size, array.dimensions[1].size);
}

TEST(VolatilityPrediction, OfAConstantVolatilityIsThatVolatility) {
    const std::vector<double> returns{0.5, -1, 0.2, 0.9};
    const VolatilityParameters constant{.mu = 2, .phi = 0.5, .sigma = 1e-7};
    const auto prediction = predict_volatility(constant, returns, 4000, {.particles = 50, .horizon = 3}, address(0));
    ASSERT_EQ(prediction.within.size(), 2u);
    EXPECT_EQ(prediction.within[0].name, "volatility");
    EXPECT_EQ(prediction.within[1].name, "y");
    const Matrix volatility = samples_of(prediction.within[0]), y = samples_of(prediction.within[1]);
    EXPECT_EQ(volatility.cols(), 4);
    EXPECT_LT((volatility.array() - std::exp(1)).abs().maxCoeff(), 1e-4);
    for (Index t = 0; t < 4; ++t) { // normal with that standard deviation: four standard errors
        EXPECT_NEAR(y.col(t).mean(), 0, 4 * std::exp(1) / std::sqrt(4000));
        EXPECT_NEAR(y.col(t).squaredNorm() / 4000, std::exp(2), 4 * std::exp(2) * std::sqrt(2.0 / 4000));
    }
    EXPECT_EQ(samples_of(prediction.beyond[0]).cols(), 3);
    EXPECT_LT((samples_of(prediction.beyond[0]).array() - std::exp(1)).abs().maxCoeff(), 1e-4);
}

/// E[exp(h_t/2) | y_1 .. y_t] by the filter in double precision, and the distribution function of each return given
/// those before it as a ratio of likelihoods by quadrature; plain and with leverage.
TEST(VolatilityPrediction, AgreesWithQuadrature) {
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
        const auto& c = volatility_cases()[which];
        const auto y = c.returns(10);
        constexpr Index runs = 200, samples = 100;
        std::vector<double> mean(y.size()), below(y.size() + 1);
        const double threshold = 0.7;
        for (std::uint64_t r = 0; r < runs; ++r) {
            const auto prediction = predict_volatility(c.parameters, y, samples, {.horizon = 1}, address(r));
            const Matrix volatility = samples_of(prediction.within[0]), within = samples_of(prediction.within[1]);
            for (std::size_t t = 0; t < y.size(); ++t) {
                mean[t] += volatility.col(static_cast<Index>(t)).mean() / runs;
                below[t] += (within.col(static_cast<Index>(t)).array() < threshold).cast<double>().mean() / runs;
            }
            below.back() += (samples_of(prediction.beyond[1]).array() < threshold).cast<double>().mean() / runs;
        }
        const VolatilityProcess process(c.parameters, y);
        std::vector<double> expected(y.size());
        random::Stream stream({93});
        for (int r = 0; r < 100; ++r)
            run_filter(process, {.particles = 2000}, stream, [&](Index t, auto states, auto log_weights) {
                for (std::size_t i = 0; i < states.size(); ++i)
                    expected[static_cast<std::size_t>(t)] += std::exp(log_weights[i] + states[i].h / 2) / 100;
            });
        for (std::size_t t = 0; t < y.size(); ++t) // some six standard errors
            EXPECT_NEAR(mean[t], expected[t], 0.01 * expected[t]) << c.name << t;
        for (std::size_t t = 1; t <= y.size(); ++t) {
            std::vector<double> longer(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(t));
            const double base = quadrature_log_likelihood(c.parameters, longer);
            longer.push_back(0);
            double sum = 0;
            constexpr double step = 0.05;
            for (double next = -20 + step / 2 + threshold; next < threshold; next += step) {
                longer.back() = next;
                sum += std::exp(quadrature_log_likelihood(c.parameters, longer) - base) * step;
            }
            EXPECT_NEAR(below[t], sum, 4 * std::sqrt(0.25 / (runs * samples)) + 0.003) << c.name << t;
        }
    }
}

TEST(VolatilityPrediction, CoversTheVolatilityThatDataWereDrawnWith) {
    const auto& c = volatility_cases()[0];
    random::Stream stream({94});
    const auto simulated = simulate_volatility(c.parameters, 1000, stream);
    const Matrix volatility =
        samples_of(predict_volatility(c.parameters, simulated.returns, 400, {}, address(0)).within[0]);
    double inside = 0;
    for (Index t = 0; t < 1000; ++t) {
        Vector sorted = volatility.col(t);
        std::sort(sorted.begin(), sorted.end());
        const double truth = std::exp(simulated.log_variances[static_cast<std::size_t>(t)] / 2);
        inside += truth > sorted(20) && truth < sorted(379);
    }
    EXPECT_NEAR(inside, 900, 45); // neighbours are correlated; independent ones had standard error 9.5
}

TEST(VolatilityPrediction, IsAPureFunctionAndEmptyWhereThereIsNone) {
    const auto& c = volatility_cases()[0];
    const auto y = c.returns(20);
    const auto once = predict_volatility(c.parameters, y, 10, {}, address(4));
    EXPECT_EQ(once.within[1].values, predict_volatility(c.parameters, y, 10, {}, address(4)).within[1].values);
    EXPECT_NE(once.within[1].values, predict_volatility(c.parameters, y, 10, {}, address(5)).within[1].values);
    EXPECT_TRUE(predict_volatility({.phi = 1}, y, 10, {}, address(4)).is_empty());
    const StochasticVolatility density({.returns = y});
    EXPECT_TRUE(density.predict(std::vector<double>{0, 60, -800}, 10, address(4)).is_empty());
}

} // namespace
} // namespace pearlite::models
