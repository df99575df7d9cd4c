#include "models/regression/linear_regression.hpp"
#include "models/regression/logistic_regression.hpp"
#include "models/regression/poisson_regression.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/error.hpp"
#include "random/statistics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::models {
namespace {

struct Densities {
    Vector log_prior, log_likelihood;
};
template <class D>
Densities evaluated(const D& density, const Matrix& points) {
    const auto n = static_cast<std::size_t>(points.cols());
    Densities d{Vector(points.cols()), Vector(points.cols())};
    density.evaluate(points, {d.log_prior.data(), n}, {d.log_likelihood.data(), n});
    return d;
}

Matrix random_matrix(Index rows, Index columns, double scale, std::uint64_t id) {
    random::Stream stream({1, random::Purpose::test, id, 0});
    return Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return scale * stream.normal(); });
}

LinearRegressionData tiny_linear() {
    LinearRegressionData data;
    data.design = Matrix{{1, -1}, {1, 0}, {1, 0.5}, {1, 2}};
    data.response = Vector{{-0.5, 0.7, 1.1, 2.6}};
    data.names = {"intercept", "slope"};
    data.prior_mean = Vector{{0.3, 0.8}};
    data.prior_precision = Vector{{0.7, 2.0}};
    data.precision_shape = 2.5;
    data.precision_rate = 1.5;
    return data;
}

// By the trapezoidal rule, which converges exponentially for smooth integrands that die at the ends.
TEST(LinearRegression, EvidenceAgreesWithBruteForceQuadrature) {
    const LinearRegression regression(tiny_linear());
    const Index n = 161;
    std::vector<double> posterior, prior;
    for (Index k = 0; k < 81; ++k) {
        const double log_precision = -9 + 0.16 * static_cast<double>(k);
        Matrix points(3, n * n);
        // A coefficient's scale is its prior's at this precision.
        const double width = std::exp(-0.5 * log_precision);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j)
                points.col(i * n + j) = Vector{{0.3 + width * 0.15 * static_cast<double>(i - n / 2),
                                                0.8 + width * 0.09 * static_cast<double>(j - n / 2), log_precision}};
        const auto d = evaluated(regression, points);
        const double log_cell = std::log(0.16 * width * 0.15 * width * 0.09);
        for (Index i = 0; i < n * n; ++i) {
            prior.push_back(d.log_prior(i) + log_cell);
            posterior.push_back(d.log_prior(i) + d.log_likelihood(i) + log_cell);
        }
    }
    EXPECT_NEAR(log_sum_exp(prior), 0, 1e-6);
    EXPECT_NEAR(log_sum_exp(posterior), *regression.exact_log_ratio(), 1e-6);
}

TEST(LinearRegression, LikelihoodIsTheNormalDensity) {
    const auto data = tiny_linear();
    const LinearRegression regression(data);
    const Matrix points = random_matrix(3, 32, 2, 1);
    const auto d = evaluated(regression, points);
    for (Index i = 0; i < 32; ++i) {
        double expected = 0;
        for (Index j = 0; j < 4; ++j) {
            const double mean = points(0, i) * data.design(j, 0) + points(1, i) * data.design(j, 1);
            const double precision = std::exp(points(2, i)), residual = data.response(j) - mean;
            expected += 0.5 * std::log(precision / (2 * std::numbers::pi)) - 0.5 * precision * residual * residual;
        }
        EXPECT_NEAR(d.log_likelihood(i), expected, 1e-11 * std::fabs(expected));
    }
}

TEST(LinearRegression, ADesignOfDeficientRankIsLegal) {
    auto data = tiny_linear();
    data.design.col(1) = 2 * data.design.col(0);
    const LinearRegression regression(data);
    const Matrix points = random_matrix(3, 16, 1, 2);
    const auto d = evaluated(regression, points);
    for (Index i = 0; i < 16; ++i) {
        const double square = (data.response - data.design * points.col(i).head(2)).squaredNorm();
        const double expected =
            2 * (points(2, i) - std::log(2 * std::numbers::pi)) - 0.5 * std::exp(points(2, i)) * square;
        EXPECT_NEAR(d.log_likelihood(i), expected, 1e-11 * std::fabs(expected));
    }
    EXPECT_TRUE(std::isfinite(*regression.exact_log_ratio()));
}

// Each standardised coordinate of a draw is N(0, 1) if draws follow the density's formulas: tau by its distribution
// function, beta given tau.
TEST(LinearRegression, DrawsFollowThePrior) {
    const auto data = tiny_linear();
    const LinearRegression regression(data);
    std::vector<double> precision, beta;
    double mean_log_prior = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        random::Stream stream({3, random::Purpose::start, i, 0});
        Matrix x(3, 1);
        regression.draw_prior(stream, {x.data(), 3});
        const double tau = std::exp(x(2));
        precision.push_back(tau * data.precision_rate);
        for (Index k = 0; k < 2; ++k)
            beta.push_back((x(k) - data.prior_mean(k)) * std::sqrt(data.prior_precision(k) * tau));
        mean_log_prior += evaluated(regression, x).log_prior(0) / 4000;
    }
    using namespace random::testing;
    EXPECT_GT(p_value_of_z(z_of_mean(precision, 2.5, 2.5)), rejection_level);
    EXPECT_GT(normal_moments_p_value(beta), rejection_level);
    // E[log prior] is minus the entropy of (beta, log tau), known in closed form; its sampling error here is about
    // 0.03.
    const double shape = 2.5, digamma = 0.7031566406452431866;
    const double mean_log_tau = digamma - std::log(data.precision_rate);
    const double entropy_log_tau = std::lgamma(shape) + shape - shape * digamma;
    const double entropy_beta =
        1 + std::log(2 * std::numbers::pi) - 0.5 * std::log(data.prior_precision.prod()) - mean_log_tau;
    EXPECT_NEAR(mean_log_prior, -(entropy_log_tau + entropy_beta), 0.15);
}

TEST(LinearRegression, SizesThatDisagreeAreRefused) {
    auto data = tiny_linear();
    data.prior_mean = Vector::Zero(3);
    EXPECT_THROW(LinearRegression{data}, ContractViolation);
}

LogisticRegressionData logistic(Index n, Index p) {
    LogisticRegressionData data;
    data.design = random_matrix(n, p, 1, 4);
    data.design.col(0).setOnes();
    random::Stream stream({1, random::Purpose::test, 5, 0});
    data.response = Vector::NullaryExpr(n, [&](Index) { return stream.bernoulli(0.4) ? 1.0 : 0.0; });
    for (Index k = 0; k < p; ++k)
        data.names.push_back("b" + std::to_string(k));
    data.prior_variance = 9;
    return data;
}

TEST(LogisticRegression, LikelihoodAgreesWithAPlainLoop) {
    for (const Index n : {1, 2, 15, 127, 128, 129, 300, 768})
        for (const Index p : {1, 2, 9}) {
            const auto data = logistic(n, p);
            const Matrix points = random_matrix(p, 48, 2, 6);
            const auto d = evaluated(LogisticRegression(data), points);
            for (Index i = 0; i < 48; ++i) {
                double likelihood = 0, prior = 0;
                for (Index j = 0; j < n; ++j) {
                    const double eta = data.design.row(j).dot(points.col(i));
                    likelihood += data.response(j) == 1 ? -softplus(-eta) : -softplus(eta);
                }
                for (Index k = 0; k < p; ++k)
                    prior += -0.5 * std::log(2 * std::numbers::pi * 9) - points(k, i) * points(k, i) / 18;
                ASSERT_NEAR(d.log_likelihood(i), likelihood, 1e-12 * (1 + std::fabs(likelihood))) << n << " " << p;
                ASSERT_NEAR(d.log_prior(i), prior, 1e-12 * (1 + std::fabs(prior)));
            }
        }
}

PoissonRegressionData counts(Index n, Index p) {
    PoissonRegressionData data;
    data.design = random_matrix(n, p, 0.4, 7);
    data.design.col(0).setOnes();
    random::Stream stream({1, random::Purpose::test, 8, 0});
    data.response = Vector::NullaryExpr(n, [&](Index) { return std::floor(5 * stream.exponential()); });
    data.exposure = Vector::NullaryExpr(n, [&](Index) { return stream.uniform(0.5, 4); });
    for (Index k = 0; k < p; ++k)
        data.names.push_back("b" + std::to_string(k));
    data.prior_variance = 4;
    return data;
}

TEST(PoissonRegression, LikelihoodAgreesWithAPlainLoop) {
    for (const Index n : {1, 2, 15, 127, 128, 300})
        for (const Index p : {1, 2, 9}) {
            const auto data = counts(n, p);
            const PoissonRegression regression(data);
            const Matrix points = random_matrix(p, 48, 1, 6);
            const auto d = evaluated(regression, points);
            for (Index i = 0; i < 48; ++i) {
                double likelihood = 0;
                for (Index j = 0; j < n; ++j) {
                    const double mean = data.exposure(j) * std::exp(data.design.row(j).dot(points.col(i)));
                    likelihood += data.response(j) * std::log(mean) - mean - std::lgamma(data.response(j) + 1);
                }
                ASSERT_NEAR(d.log_likelihood(i), likelihood, 1e-11 * (1 + std::fabs(likelihood))) << n << " " << p;
            }
        }
}

TEST(PoissonRegression, PredictorsBeyondAllBoundsHaveNoDensityButANumber) {
    const PoissonRegression regression(counts(20, 1));
    Matrix points = Matrix::Zero(1, 16);
    points(0, 1) = 800;
    points(0, 2) = -800;
    const auto d = evaluated(regression, points);
    EXPECT_LT(d.log_likelihood(1), -1e300);
    EXPECT_TRUE(std::isfinite(d.log_likelihood(2)));
}

// A Poisson variable of mean 3 or 60 has that mean and that variance: within 5 standard errors of 40 000 draws.
TEST(PoissonRegression, PredictionsHaveTheirMeanAndVariance) {
    for (const double mean : {3.0, 60.0}) {
        PoissonRegressionData data;
        data.design = Matrix::Ones(1, 1);
        data.response = Vector{{1.0}};
        data.exposure = Vector::Ones(1);
        data.names = {"intercept"};
        const PoissonRegression regression(data);
        const double u = std::log(mean);
        constexpr Index n = 40000;
        const auto prediction = regression.predict({&u, 1}, n, {3, random::Purpose::test, 1, 0});
        const Eigen::Map<const Eigen::ArrayXd> y(prediction.within.front().values.data(), n);
        const double found = y.mean(), variance = (y - found).square().mean();
        EXPECT_NEAR(found, mean, 5 * std::sqrt(mean / n));
        EXPECT_NEAR(variance, mean, 5 * mean * std::sqrt((2 + 1 / mean) / n));
    }
}

/// A density's likelihood of data points against that of a density which has no others.
template <class D, class Data>
void expect_likelihood_of_rows(const Data& data, Index from, Index to, const Matrix& points) {
    auto part = data;
    part.design = data.design.middleRows(from, to - from).eval();
    part.response = data.response.segment(from, to - from).eval();
    const auto expected = evaluated(D(part), points);
    const auto n = static_cast<std::size_t>(points.cols());
    Densities found{Vector(points.cols()), Vector(points.cols())};
    const D density(data);
    ASSERT_EQ(density.data_points(), data.response.size());
    density.evaluate(points, from, to, {found.log_prior.data(), n}, {found.log_likelihood.data(), n});
    EXPECT_EQ(found.log_prior, expected.log_prior);
    for (Index i = 0; i < points.cols(); ++i)
        EXPECT_NEAR(found.log_likelihood(i), expected.log_likelihood(i), 1e-11 * (1 - expected.log_likelihood(i)))
            << from << " " << to;
}

TEST(LinearRegression, TheLikelihoodOfSomeRowsIsThatOfThese) {
    LinearRegressionData data = tiny_linear();
    data.design = random_matrix(40, 2, 1, 6);
    data.response = random_matrix(40, 1, 3, 7);
    for (const auto& [from, to] : std::vector<std::pair<Index, Index>>{{0, 40}, {0, 3}, {7, 8}, {13, 40}})
        expect_likelihood_of_rows<LinearRegression>(data, from, to, random_matrix(3, 16, 1, 8));
}

TEST(LogisticRegression, TheLikelihoodOfSomeRowsIsThatOfThese) {
    const auto data = logistic(300, 3);
    for (const auto& [from, to] :
         std::vector<std::pair<Index, Index>>{{0, 300}, {0, 128}, {0, 1}, {299, 300}, {5, 280}, {130, 131}})
        expect_likelihood_of_rows<LogisticRegression>(data, from, to, random_matrix(3, 32, 1, 8));
}

TEST(LogisticRegression, APointsNumbersDoNotDependOnItsPlace) {
    for (const Index n : {1, 37, 200}) {
        const LogisticRegression regression(logistic(n, 3));
        const Matrix points = random_matrix(3, 32, 1, 7);
        const auto straight = evaluated(regression, points);
        const auto reversed = evaluated(regression, points.rowwise().reverse());
        EXPECT_EQ(straight.log_likelihood, Vector(reversed.log_likelihood.reverse()));
        EXPECT_EQ(straight.log_prior, Vector(reversed.log_prior.reverse()));
    }
}

TEST(LogisticRegression, HugePredictorsNeitherOverflowNorCancel) {
    LogisticRegressionData data;
    data.design = Matrix{{1, 1}, {1, -2}, {1, 3}};
    data.response = Vector{{1, 0, 1}};
    data.names = {"a", "b"};
    const LogisticRegression regression(data);
    Matrix points = Matrix::Zero(2, 16);
    points(1, 0) = 1e300;  // every response certain and right
    points(1, 1) = -1e300; // and wrong
    points(1, 2) = 1e5;
    points(1, 3) = 800;
    points(1, 4) = -800;
    const auto d = evaluated(regression, points);
    EXPECT_EQ(d.log_likelihood(0), 0);
    EXPECT_DOUBLE_EQ(d.log_likelihood(1), -6e300);
    EXPECT_EQ(d.log_likelihood(2), 0);
    EXPECT_EQ(d.log_likelihood(3), 0);
    EXPECT_DOUBLE_EQ(d.log_likelihood(4), -4800);
    EXPECT_DOUBLE_EQ(d.log_likelihood(5), -3 * std::log(2));
}

TEST(LogisticRegression, DrawsFollowThePrior) {
    const LogisticRegression regression(logistic(3, 2));
    std::vector<double> standardised;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        random::Stream stream({4, random::Purpose::start, i, 0});
        std::array<double, 2> x{};
        regression.draw_prior(stream, x);
        for (const double value : x)
            standardised.push_back(value / 3);
    }
    EXPECT_GT(random::testing::normal_moments_p_value(standardised), random::testing::rejection_level);
}

TEST(LogisticRegression, ResponsesOtherThanZeroAndOneAreRefused) {
    auto data = logistic(3, 2);
    data.response(1) = 2;
    EXPECT_THROW(LogisticRegression{data}, ContractViolation);
}

} // namespace
} // namespace pearlite::models
