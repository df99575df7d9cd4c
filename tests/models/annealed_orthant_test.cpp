/// Orthants that are annealed: the log density against matrices, its constant, and the sweep's time reversal.
#include "models/gaussian_process/orthant/annealed_orthant.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::models {
namespace {

OrthantSettings some_orthant(Index n, bool is_double = false) {
    random::Stream stream({3, random::Purpose::test, 29, 0});
    const Matrix factor = Matrix::NullaryExpr(n, n, [&](Index, Index) { return stream.normal(); });
    std::vector<Index> order(at(n));
    for (Index i = 0; i < n; ++i)
        order[at(i)] = i;
    Vector signs = Vector::NullaryExpr(n, [](Index i) { return i % 3 == 1 ? -1.0 : 1.0; });
    return {factor * factor.transpose() + Matrix::Identity(n, n), std::move(signs), std::move(order), is_double};
}

template <class Real>
Vector state_of(const PanelBlock<Real>& block, Index slot) {
    return Vector::NullaryExpr(block.n(), [&](Index i) { return block.state(i, slot); });
}

/// log of N(z; 0, Sigma) over N(z; 0, diag Sigma).
double log_ratio_of(const Matrix& sigma, const Vector& z) {
    const Matrix precision = inverse(sigma);
    const Vector sd = sigma.diagonal().cwiseSqrt();
    const double log_determinant = cholesky_factor(sigma)->diagonal().array().log().sum();
    return -0.5 * z.dot(precision * z) + 0.5 * z.cwiseQuotient(sd).squaredNorm() - log_determinant +
           sd.array().log().sum();
}

template <class Real>
void expect_log_ratios(Index n) {
    const auto settings = some_orthant(n);
    const AnnealedOrthant<Real> model(settings);
    auto block = model.make_block(53); // a panel and a part of one
    model.draw_start(block, {.seed = 1, .step = 0, .generation = 0, .first_slot = 0, .block = 0});
    std::vector<double> u(53), ratio(53, 1.5);
    model.path_derivative(block, 0.3, u);
    model.add_log_ratio(block, 0.2, 0.7, ratio);
    for (Index slot = 0; slot < 53; ++slot) {
        const Vector z = state_of(block, slot);
        EXPECT_GT(z.cwiseProduct(settings.signs).minCoeff(), 0);
        const double expected = log_ratio_of(settings.covariance, z);
        EXPECT_NEAR(u[at(slot)], expected, 1e-9 * (1 + std::abs(expected))) << n;
        EXPECT_NEAR(ratio[at(slot)], 1.5 + 0.5 * u[at(slot)], 1e-12 * (1 + std::abs(expected)));
    }
}

TEST(AnnealedOrthant, LogDensitiesAreThoseOfMatrices) {
    for (const Index n : {1, 2, 7, 8, 9, 17, 40}) {
        expect_log_ratios<float>(n);
        expect_log_ratios<double>(n);
    }
}

// A uniform importance sample of the start: the mean ratio is P 2^N, by exact draws.
TEST(AnnealedOrthant, TheConstantMakesTheNormaliserAProbability) {
    const Matrix covariance{{2, 0.9}, {0.9, 1}};
    const OrthantSettings settings{covariance, Vector{{1, -1}}, {0, 1}};
    const AnnealedOrthant<double> model(settings);
    constexpr Index n = 48000;
    auto block = model.make_block(n);
    model.draw_start(block, {.seed = 2, .step = 0, .generation = 0, .first_slot = 0, .block = 0});
    std::vector<double> u(at(n));
    model.path_derivative(block, 0, u);
    double mean = 0, square = 0;
    for (const double one : u) {
        mean += std::exp(one) / n;
        square += std::exp(2 * one) / n;
    }
    const double error = std::sqrt((square - mean * mean) / n);
    const double exact = std::exp(*model.exact_log_ratio(1));
    EXPECT_LT(std::abs(mean - exact), 5 * error);
    EXPECT_GT(std::abs(mean - 1.1 * exact), 5 * error); // a constant off by a tenth
    EXPECT_NEAR(*model.log_normaliser_start(), -2 * std::numbers::ln2, 1e-15);
    EXPECT_EQ(*model.exact_log_ratio(0), 0);
}

// At b = 0 variables are independent half-normals, which sweeps leave as they are; moments of both directions.
TEST(AnnealedOrthant, SweepsLeaveTheStartInvariant) {
    const auto settings = some_orthant(5);
    const AnnealedOrthant<float> model(settings);
    constexpr Index n = 24000;
    auto block = model.make_block(n);
    model.draw_start(block, {.seed = 3, .step = 0, .generation = 0, .first_slot = 0, .block = 0});
    for (std::uint32_t step = 1; step <= 4; ++step) {
        const model::BlockStreams streams{.seed = 3, .step = step, .generation = 0, .first_slot = 0, .block = 0};
        if (step % 2 == 0)
            model.move(block, 0, streams);
        else
            model.move_reversed(block, 0, streams);
    }
    for (Index i = 0; i < 5; ++i) {
        double sum = 0;
        for (Index slot = 0; slot < n; ++slot)
            sum += std::pow(block.state(i, slot), 2) / settings.covariance(i, i);
        EXPECT_LT(std::abs(sum / n - 1), 5 * std::sqrt(2.0 / n));
    }
}

TEST(AnnealedOrthant, RefusesACovarianceThatIsNotPositiveDefinite) {
    EXPECT_THROW(AnnealedOrthant<float>({-Matrix::Identity(2, 2), Vector::Ones(2), {0, 1}}), NumericalError);
}

} // namespace
} // namespace pearlite::models
