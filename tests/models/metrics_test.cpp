/// The metrics of the package's densities: second derivatives of the log densities, and their own derivatives.

#include "models/gaussian/gaussian.hpp"
#include "models/gradient_checks.hpp"
#include "models/regression/linear_regression.hpp"
#include "models/regression/logistic_regression.hpp"
#include "models/regression/poisson_regression.hpp"
#include "pearlite/model/detail/density_of.hpp"
#include "support/decompositions.hpp"

namespace pearlite::models {
namespace {

using pearlite::testing::Differentiated;

Matrix normals(Index rows, Index columns, std::uint64_t id) {
    random::Stream stream({11, random::Purpose::test, id, 0});
    return Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return stream.normal(); });
}

template <class D>
Matrix metric_at(const D& density, const Vector& x, double b) {
    Matrix g = Matrix::Constant(x.size(), x.size(), std::nan(""));
    density.metric({x.data(), static_cast<std::size_t>(x.size())}, b, g);
    return g;
}

/// The metric's derivatives against central differences of fourth order, relative to its largest element.
template <class D>
void expect_derivatives_of_metric(const D& density, const Matrix& points, double step, double relative) {
    const model::detail::DensityMetricOf<D> of_density(std::make_shared<const D>(density));
    for (const double b : {0.0, 0.3, 1.0})
        for (Index i = 0; i < points.cols(); ++i) {
            const Vector x = points.col(i);
            const Matrix g = metric_at(density, x, b);
            EXPECT_TRUE(g.isApprox(g.transpose(), 1e-14));
            EXPECT_GT(decompositions::modes_of(g).values.minCoeff(), 0);
            for (Index k = 0; k < x.size(); ++k) {
                const auto at = [&](double shift) {
                    return metric_at(density, x + shift * step * Vector::Unit(x.size(), k), b);
                };
                const Matrix expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
                Matrix derivative = Matrix::Constant(x.size(), x.size(), std::nan(""));
                of_density.derivative({x.data(), static_cast<std::size_t>(x.size())}, b, k, derivative);
                EXPECT_LT((derivative - expected).cwiseAbs().maxCoeff(), relative * g.cwiseAbs().maxCoeff())
                    << "point " << i << ", coordinate " << k << ", b " << b;
            }
        }
}

/// Minus the second derivatives of log prior + b log likelihood, from its gradients.
Matrix information(const Differentiated& density, const Vector& x, double b, double step) {
    Matrix result(x.size(), x.size());
    for (Index k = 0; k < x.size(); ++k) {
        Matrix at = x.replicate(1, 4);
        at.row(k) += step * Eigen::RowVector4d{-2, -1, 1, 2};
        const Matrix gradients = density.gradients(at, b).second;
        result.col(k) =
            -(8 * (gradients.col(2) - gradients.col(1)) - (gradients.col(3) - gradients.col(0))) / (12 * step);
    }
    return result;
}

TEST(Metrics, OfAGaussianIsItsPrecision) {
    const Gaussian gaussian({.dimension = 3, .start_mean = 2, .start_sd = 3, .end_mean = -1, .end_sd = 0.5});
    const Differentiated density(gaussian, 4);
    expect_derivatives_of_metric(gaussian, density.points, 1e-3, 1e-9);
    for (const double b : {0.0, 0.3, 1.0})
        EXPECT_TRUE(metric_at(gaussian, density.points.col(0), b)
                        .isApprox(information(density, density.points.col(0), b, 1e-2), 1e-9));
}

TEST(Metrics, OfALogisticRegressionIsTheSecondDerivative) {
    LogisticRegressionData data;
    data.design = normals(60, 4, 1);
    data.design.col(0).setOnes();
    data.response =
        (data.design * normals(4, 1, 2) + normals(60, 1, 3)).unaryExpr([](double x) { return x > 0 ? 1.0 : 0.0; });
    data.names = {"a", "b", "c", "d"};
    data.prior_variance = 4;
    const LogisticRegression regression(data);
    Differentiated density(regression, 8);
    density.points.col(0).setZero();
    density.points.col(1) *= 100; // predictors whose variances underflow
    expect_derivatives_of_metric(regression, density.points, 1e-3, 1e-8);
    for (const double b : {0.0, 0.3, 1.0})
        for (Index i = 0; i < 8; ++i)
            EXPECT_TRUE(metric_at(regression, density.points.col(i), b)
                            .isApprox(information(density, density.points.col(i), b, 1e-3), 1e-8))
                << i;
}

TEST(Metrics, OfAPoissonRegressionIsTheSecondDerivative) {
    PoissonRegressionData data;
    data.design = 0.5 * normals(60, 3, 1);
    data.design.col(0).setOnes();
    data.response = (2 * normals(60, 1, 2).array().abs()).floor();
    data.exposure = normals(60, 1, 3).array().exp();
    data.names = {"a", "b", "c"};
    data.prior_variance = 4;
    const PoissonRegression regression(data);
    const Differentiated density(regression, 8);
    expect_derivatives_of_metric(regression, density.points, 1e-3, 1e-7);
    for (const double b : {0.0, 0.3, 1.0})
        for (Index i = 0; i < 8; ++i)
            EXPECT_TRUE(metric_at(regression, density.points.col(i), b)
                            .isApprox(information(density, density.points.col(i), b, 1e-3), 1e-7))
                << i;
}

TEST(Metrics, OfALinearRegressionIsTheExpectedInformation) {
    LinearRegressionData data;
    data.design = normals(12, 3, 4);
    data.response = normals(12, 1, 5);
    data.names = {"a", "b", "c"};
    data.prior_mean = normals(3, 1, 6);
    data.prior_precision = Vector{{0.5, 1.0, 2.0}};
    data.precision_shape = 2.5;
    data.precision_rate = 1.5;
    const LinearRegression regression(data);
    const Differentiated density(regression, 6);
    expect_derivatives_of_metric(regression, density.points, 1e-3, 1e-8);
    for (Index i = 0; i < 6; ++i) {
        const Vector x = density.points.col(i);
        EXPECT_TRUE(metric_at(regression, x, 0.3)
                        .topLeftCorner(3, 3)
                        .isApprox(information(density, x, 0.3, 1e-3).topLeftCorner(3, 3), 1e-8));
    }
    // Over data and parameters together the rest is a mean: at parameters from the prior and data given these, beta and
    // log tau do not go together, and log tau has shape + (p + n)/2. Here 4000 draws at 3.9 standard errors.
    constexpr Index n = 4000;
    Vector of_precision(n), mixed(n);
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({13, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
        Vector x(4);
        regression.draw_prior(stream, {x.data(), 4});
        auto drawn = data;
        drawn.response = data.design * x.head(3) +
                         std::exp(-x(3) / 2) * Vector::NullaryExpr(12, [&](Index) { return stream.normal(); });
        const Matrix found = information(Differentiated(LinearRegression(drawn), 1), x, 1, 1e-3);
        of_precision(i) = found(3, 3);
        mixed(i) = found(0, 3);
    }
    const auto expect_mean = [&](const Vector& values, double expected) {
        const double mean = values.mean();
        const double error = std::sqrt((values.array() - mean).square().mean() / static_cast<double>(n));
        EXPECT_NEAR(mean, expected, 3.9 * error);
        EXPECT_GT(std::abs(mean - expected - 0.5), 3.9 * error);
    };
    expect_mean(of_precision, metric_at(regression, density.points.col(0), 1)(3, 3));
    expect_mean(mixed, 0);
}

} // namespace
} // namespace pearlite::models
