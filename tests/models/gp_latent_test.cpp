/// Gaussian process classification as a density: quadrature, gradients, its metric and its approximation.
#include "models/gaussian_process/gp_latent.hpp"

#include "core/log_space.hpp"
#include "models/gaussian_process/expectation_propagation.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/gradient_checks.hpp"

#include <cmath>

namespace pearlite::models {
namespace {

using pearlite::testing::Differentiated;

constexpr LatentCoordinates both[] = {LatentCoordinates::prior, LatentCoordinates::posterior};

/// K with correlations exp(-|i - j|/3).
Matrix covariance_of(Index n, double variance) {
    return Matrix::NullaryExpr(
        n, n, [&](Index i, Index j) { return variance * std::exp(-std::abs(static_cast<double>(i - j)) / 3); });
}

Vector alternating(Index n) {
    return Vector::NullaryExpr(n, [](Index i) { return i % 3 == 1 ? -1.0 : 1.0; });
}

/// log of the integral of prior times likelihood, two latent values, by the trapezoidal rule.
double quadrature(const GpLatent& density) {
    constexpr Index n = 401;
    constexpr double width = 0.06;
    std::vector<double> logs;
    for (Index i = 0; i < n; ++i) {
        Matrix points(2, padded(n));
        points.setZero();
        for (Index j = 0; j < n; ++j)
            points.col(j) << width * static_cast<double>(i - n / 2), width * static_cast<double>(j - n / 2);
        std::vector<double> prior(at(points.cols())), likelihood(at(points.cols()));
        density.evaluate(points, prior, likelihood);
        for (Index j = 0; j < n; ++j)
            logs.push_back(prior[at(j)] + likelihood[at(j)] + 2 * std::log(width));
    }
    return log_sum_exp(logs);
}

TEST(GpLatent, EvidenceIsThatOfAnOrthant) {
    for (const double variance : {0.5, 4.0})
        for (const auto coordinates : both) {
            const GpLatent density(covariance_of(2, variance), alternating(2), coordinates);
            EXPECT_NEAR(quadrature(density), *density.exact_log_ratio(), 1e-6);
            // The probability without the noise of the probit is another one.
            const Orthant twin({covariance_of(2, variance), alternating(2), {0, 1}});
            EXPECT_GT(std::abs(quadrature(density) - *twin.exact_log_normaliser()), 1e-2);
        }
}

TEST(GpLatent, Gradients) {
    for (const auto coordinates : both) {
        const Differentiated density(GpLatent(covariance_of(7, 30), alternating(7), coordinates), 20);
        pearlite::testing::expect_gradient_of_density(density, 1e-3, 1e-8);
        pearlite::testing::expect_gradient_without_neighbours(density);
    }
}

TEST(GpLatent, MetricAndItsDerivatives) {
    for (const auto coordinates : both) {
        const model::DensityOf<GpLatent> density(GpLatent(covariance_of(5, 10), alternating(5), coordinates));
        const auto* metric = density.offers<model::DensityMetric>();
        ASSERT_NE(metric, nullptr);
        const auto at_point = [&](const Vector& x, double b) {
            Matrix g(5, 5);
            metric->metric({x.data(), 5}, b, g);
            return g;
        };
        const Vector x = Vector::LinSpaced(5, -1, 1.5);
        for (const double b : {0.0, 0.4, 1.0})
            for (Index k = 0; k < 5; ++k) {
                const auto at = [&](double shift) { return at_point(x + 1e-3 * shift * Vector::Unit(5, k), b); };
                const Matrix expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * 1e-3);
                Matrix derivative(5, 5);
                metric->derivative({x.data(), 5}, b, k, derivative);
                EXPECT_LT((derivative - expected).cwiseAbs().maxCoeff(), 1e-8 * (1 + expected.cwiseAbs().maxCoeff()));
            }
    }
}

// In both coordinates N(mu, Sig) of the latent values.
TEST(GpLatent, ApproximationIsThatOfExpectationPropagation) {
    const Matrix k = covariance_of(6, 8);
    const auto q = expectation_propagation(k, alternating(6));
    for (const auto coordinates : both) {
        const GpLatent density(k, alternating(6), coordinates);
        const auto [mean, factor] = density.approximation();
        Vector x(6);
        density.quantities({mean.data(), 6}, {x.data(), 6});
        EXPECT_LT((x - q.mean).norm(), 1e-4 * q.mean.norm()); // but for the jitter
        const Matrix spread = density.predictors() * factor;
        EXPECT_LT((spread * spread.transpose() - q.covariance).norm(), 1e-4 * q.covariance.norm());
    }
}

TEST(GpLatent, DrawsOfThePriorHaveItsCovariance) {
    const Matrix k = covariance_of(3, 2);
    constexpr int n = 20000;
    for (const auto coordinates : both) {
        const GpLatent density(k, alternating(3), coordinates);
        Matrix sum = Matrix::Zero(3, 3);
        for (int i = 0; i < n; ++i) {
            random::Stream stream({5, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
            Vector u(3), x(3);
            density.draw_prior(stream, {u.data(), 3});
            density.quantities({u.data(), 3}, {x.data(), 3});
            sum += x * x.transpose() / n;
        }
        // Four standard errors of a variance, 2 (2/n)^(1/2).
        EXPECT_LT((sum - k).cwiseAbs().maxCoeff(), 4 * 2 * std::sqrt(2.0 / n));
    }
}

// A covariance of rank 1, which takes more jitter than usual; the evidence is that of one latent value.
TEST(GpLatent, RepeatedInputsAreLegal) {
    const Matrix k = Matrix::Constant(3, 3, 1e12);
    const GpLatent density(k, Vector::Ones(3));
    EXPECT_TRUE(density.covariance().allFinite());
}

} // namespace
} // namespace pearlite::models
