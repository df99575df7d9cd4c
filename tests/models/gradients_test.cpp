/// The gradients of the package's densities against differences of their log densities.

#include "models/gradient_checks.hpp"

#include "models/gaussian/gaussian.hpp"
#include "models/mixed_logistic_cases.hpp"
#include "models/regression/linear_regression.hpp"
#include "models/regression/logistic_regression.hpp"
#include "models/regression/poisson_regression.hpp"
#include "models/state_space/linear_gaussian.hpp"
#include "models/state_space/stochastic_volatility.hpp"
#include "models/volatility_cases.hpp"
#include "pearlite/model/exact_likelihood.hpp"

namespace pearlite::models {
namespace {

using pearlite::testing::Differentiated;
using pearlite::testing::expect_gradient_of_density;
using pearlite::testing::expect_gradient_without_neighbours;

Matrix normals(Index rows, Index columns, std::uint64_t id) {
    random::Stream stream({7, random::Purpose::test, id, 0});
    return Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return stream.normal(); });
}

template <class D>
model::ExactLikelihood<D> exact(D density) {
    return model::ExactLikelihood<D>(std::move(density));
}

std::vector<std::string> numbered(Index n) {
    std::vector<std::string> names;
    for (Index k = 0; k < n; ++k)
        names.push_back("x" + std::to_string(k));
    return names;
}

TEST(Gradients, Gaussian) {
    for (const Index d : {1, 7}) {
        const Differentiated density(
            Gaussian({.dimension = d, .start_mean = 2, .start_sd = 3, .end_mean = -1, .end_sd = 0.5}), 21);
        expect_gradient_of_density(density, 1e-3, 1e-9);
        expect_gradient_without_neighbours(density);
    }
}

TEST(Gradients, LinearRegression) {
    for (const Index p : {2, 19}) {
        LinearRegressionData data;
        data.design = normals(40, p, 1);
        data.response = data.design * normals(p, 1, 2) + 0.5 * normals(40, 1, 3);
        data.names = numbered(p);
        data.prior_mean = normals(p, 1, 4);
        data.prior_precision = Vector::LinSpaced(p, 0.5, 2);
        data.precision_shape = 2.5;
        data.precision_rate = 1.5;
        const Differentiated density(LinearRegression(data), 21);
        expect_gradient_of_density(density, 1e-3, 1e-9);
        expect_gradient_without_neighbours(density);
    }
}

LogisticRegressionData logistic_data(Index n, Index p) {
    LogisticRegressionData data;
    data.design = normals(n, p, 5);
    data.design.col(0).setOnes();
    data.response = (normals(n, 1, 6).array() > 0).cast<double>();
    data.names = numbered(p);
    data.prior_variance = 25;
    return data;
}

TEST(Gradients, LogisticRegression) {
    // Rows in several pieces, the last of which is not full; large predictors among them.
    for (const auto& [n, p] : {std::pair<Index, Index>{3, 1}, {37, 2}, {300, 11}}) {
        const Differentiated density(LogisticRegression(logistic_data(n, p)), 21);
        expect_gradient_of_density(density, 1e-3, 1e-9);
        expect_gradient_without_neighbours(density);
        const auto [logs, gradient] = density.gradients(density.points, 1);
        EXPECT_EQ(logs.likelihood.head(21), density.logs(density.points).likelihood.head(21)); // to the bit
    }
}

/// A rounded force leaves a trajectory its own way back only if it is a function of the point alone.
void expect_force_without_neighbours(const Differentiated& density, const Matrix& together) {
    for (Index i = 0; i < density.points.cols(); ++i) {
        Matrix few = density.points.leftCols(5);
        const Index lane = (3 * i + 1) % few.cols();
        few.col(lane) = density.points.col(i);
        ASSERT_EQ(Vector(density.forces(few, 0.7).col(lane)), Vector(together.col(i)));
    }
}

/// Forces are gradients to `error` of the sum of the sizes of their terms: size_of(i, predictor) of row i, times |x_i|.
template <class SizeOfRow>
void expect_forces_are_rounded_gradients(const Differentiated& density, const Matrix& design, double error,
                                         const SizeOfRow& size_of) {
    const auto [logs, gradient] = density.gradients(density.points, 0.7);
    const Matrix force = density.forces(density.points, 0.7);
    expect_force_without_neighbours(density, force);
    const auto with_forces = density.logs_with_forces(density.points, 0.7);
    for (Index i = 0; i < density.points.cols(); ++i) {
        EXPECT_EQ(with_forces.prior(i), logs.prior(i));
        EXPECT_EQ(with_forces.likelihood(i), logs.likelihood(i));
        const Vector predictors = design * density.points.col(i);
        const double largest = 1 + predictors.cwiseAbs().maxCoeff();
        for (Index k = 0; k < design.cols(); ++k) {
            double sizes = 1;
            for (Index row = 0; row < design.rows(); ++row)
                sizes += size_of(row, predictors(row)) * std::abs(design(row, k));
            ASSERT_NEAR(force(k, i), gradient(k, i), error * largest * sizes)
                << design.rows() << " rows, coordinate " << k;
        }
    }
    EXPECT_NE(force, gradient); // it is the rounded one
}

TEST(Forces, OfALogisticRegressionAreItsGradientRounded) {
    for (const auto& [n, p] : {std::pair<Index, Index>{3, 1}, {37, 2}, {300, 11}, {5000, 61}}) {
        const auto data = logistic_data(n, p);
        const Differentiated density(LogisticRegression(data), 21);
        expect_forces_are_rounded_gradients(density, data.design, 1e-7, [](Index, double) { return 1.0; });
    }
}

TEST(Forces, OfOtherDensitiesAreTheGradient) {
    LinearRegressionData data;
    data.design = normals(20, 3, 5);
    data.response = normals(20, 1, 6);
    data.names = numbered(3);
    data.prior_mean = Vector::Zero(3);
    data.prior_precision = Vector::Ones(3);
    const Differentiated density(LinearRegression(data), 21);
    EXPECT_EQ(density.forces(density.points, 0.7), density.gradients(density.points, 0.7).second);
}

PoissonRegressionData poisson_data(Index n, Index p) {
    PoissonRegressionData data;
    data.design = 0.3 * normals(n, p, 5);
    data.design.col(0).setOnes();
    data.response = (3 * normals(n, 1, 6).array().abs()).floor();
    data.exposure = normals(n, 1, 8).array().exp();
    data.names = numbered(p);
    data.prior_variance = 4;
    return data;
}

TEST(Gradients, PoissonRegression) {
    for (const auto& [n, p] : {std::pair<Index, Index>{3, 1}, {37, 2}, {300, 11}}) {
        const Differentiated density(PoissonRegression(poisson_data(n, p)), 21);
        expect_gradient_of_density(density, 1e-3, 1e-8);
        expect_gradient_without_neighbours(density);
        const auto [logs, gradient] = density.gradients(density.points, 1);
        EXPECT_EQ(logs.likelihood.head(21), density.logs(density.points).likelihood.head(21)); // to the bit
    }
}

TEST(Forces, OfAPoissonRegressionAreItsGradientRounded) {
    for (const auto& [n, p] : {std::pair<Index, Index>{3, 1}, {37, 2}, {300, 11}, {5000, 61}}) {
        const auto data = poisson_data(n, p);
        Differentiated density(PoissonRegression(data), 21);
        expect_forces_are_rounded_gradients(density, data.design, 2e-7, [&](Index row, double predictor) {
            return data.response(row) + data.exposure(row) * std::exp(predictor);
        });
        density.points *= 1000; // means that no number holds
        EXPECT_TRUE(density.forces(density.points, 0.7).allFinite());
    }
}

TEST(Gradients, ExactLinearGaussian) {
    LinearGaussianSettings settings;
    random::Stream stream({8, random::Purpose::test, 0, 0});
    settings.observations = simulate_linear_gaussian({.mean = 0.5, .persistence = 0.8}, 50, stream);
    const Differentiated density(exact(LinearGaussian(settings)), 12);
    expect_gradient_of_density(density, 1e-3, 1e-7);
    expect_gradient_without_neighbours(density);
}

class VolatilityGradients : public ::testing::TestWithParam<std::size_t> {};

TEST_P(VolatilityGradients, AreThoseOfDifferences) {
    const auto& example = testing::volatility_cases()[GetParam()];
    StochasticVolatilitySettings settings;
    settings.returns = example.returns(example.name == "both" ? 4 : 15);
    settings.returns[2] = 0;
    settings.leverage = example.parameters.rho != 0;
    settings.student = example.parameters.student();
    // Priors that stay clear of phi and rho near 1, where the grid is large.
    settings.phi = model::Prior::parse("beta(8, 3, -1, 1)");
    settings.rho = model::Prior::parse("beta(4, 5, -1, 1)");
    settings.sigma = model::Prior::parse("log-normal(-1, 0.3)");
    settings.nu = model::Prior::parse("gamma(4, 0.7)");
    const bool is_both = example.name == "both";
    const Differentiated density(exact(StochasticVolatility(settings)), is_both ? 1 : 3);
    expect_gradient_of_density(density, 2e-3, 1e-6);
    expect_gradient_without_neighbours(density);
}
INSTANTIATE_TEST_SUITE_P(All, VolatilityGradients, ::testing::Values(0, 1, 2, 3),
                         [](const auto& chosen) { return testing::volatility_cases()[chosen.param].name; });

TEST(Gradients, ExactVolatilityWithoutLeverageHasASlopeInRho) {
    const auto y = testing::volatility_cases()[1].returns(15);
    const auto at = [&](double rho) {
        return quadrature_log_likelihood({.mu = -0.5, .phi = 0.9, .sigma = 0.5, .rho = rho}, y);
    };
    std::array<double, 5> gradient;
    quadrature_log_likelihood({.mu = -0.5, .phi = 0.9, .sigma = 0.5, .rho = 0}, y, true, gradient);
    EXPECT_NEAR(gradient[3], (at(1e-4) - at(-1e-4)) / 2e-4, 1e-6);
    EXPECT_GT(std::abs(gradient[3]), 0.1);
    quadrature_log_likelihood({.mu = -0.5, .phi = 0.9, .sigma = 0.5, .rho = 0}, y, false, gradient);
    EXPECT_EQ(gradient[3], 0);
}

TEST(Gradients, ExactMixedLogistic) {
    for (const Index q : {1, 2, 3})
        for (const bool correlated : {false, true}) {
            if (correlated && q != 2)
                continue;
            auto settings = testing::mixed_case(q == 3 ? 2 : 21, q == 3 ? 2 : 6, q, 3);
            settings.coefficient_priors = {model::Prior::parse("normal(0, 1.5)")};
            settings.deviation_priors = {model::Prior::parse(q == 3 ? "half-normal(0.5)" : "half-normal(2)")};
            if (correlated)
                settings.correlation_prior = model::Prior::parse("uniform(-1, 1)");
            const Differentiated density(exact(MixedLogistic(settings)), q == 1 ? 8 : q == 2 ? 3 : 1);
            expect_gradient_of_density(density, 2e-3, 1e-6);
            expect_gradient_without_neighbours(density);
        }
}

// Estimated likelihoods have no gradient, exact ones do.
TEST(Gradients, AreOfferedWhereTheLikelihoodIsExact) {
    LinearGaussianSettings settings;
    settings.observations = {0.5, 1};
    EXPECT_FALSE(Differentiated(LinearGaussian(settings), 1).is_offered());
    EXPECT_TRUE(Differentiated(exact(LinearGaussian(settings)), 1).is_offered());
}

} // namespace
} // namespace pearlite::models
