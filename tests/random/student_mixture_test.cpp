#include "random/student_mixture.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/moments.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::random {
namespace {

StudentMixture two_of_them() {
    const Matrix factor = (Matrix(2, 2) << 1.0, 0, 0.5, 0.8).finished();
    return StudentMixture({{1, Vector::Zero(2), factor}, {3, (Vector(2) << 6, -4).finished(), 0.5 * factor}}, 5);
}

TEST(StudentMixture, DensityIsStudents) {
    const StudentMixture one({{1, Vector::Constant(1, 2.0), Matrix::Constant(1, 1, 3.0)}}, 5);
    for (const double x : {-4.0, 2.0, 11.0})
        EXPECT_NEAR(one.log_density(std::vector<double>{x}),
                    std::log(boost::math::pdf(boost::math::students_t(5), (x - 2) / 3) / 3), 1e-12);
}

TEST(StudentMixture, DensityIntegratesToOne) {
    boost::math::quadrature::sinh_sinh<double> rule;
    const auto mixture = two_of_them();
    const double mass = rule.integrate(
        [&](double x) {
            return rule.integrate(
                [&](double y) {
                    return std::exp(mixture.log_density(std::vector<double>{x, y}));
                },
                1e-7);
        },
        1e-6);
    EXPECT_NEAR(mass, 1, 1e-4);
}

// Means and second moments of 40000 draws; standard errors from the draws, 5 of them.
TEST(StudentMixture, DrawsHaveItsMoments) {
    const auto mixture = two_of_them();
    Stream stream({1, Purpose::test, 0, 0});
    constexpr int n = 40000;
    std::vector<double> x(2);
    double sum = 0, squares = 0, product = 0, product_squares = 0;
    for (int i = 0; i < n; ++i) {
        mixture.draw(stream, x);
        sum += x[0];
        squares += x[0] * x[0];
        product += x[0] * x[1];
        product_squares += x[0] * x[0] * x[1] * x[1];
    }
    const double mean = sum / n, error = std::sqrt((squares / n - mean * mean) / n);
    EXPECT_NEAR(mean, 0.75 * 6, 5 * error);
    // E x y = 5/3 (0.25 + 0.75 x 0.25) x 0.5 + 0.75 x 6 x -4
    const double exact = 5.0 / 3 * (0.25 + 0.75 * 0.25) * 0.5 - 18;
    const double m = product / n;
    EXPECT_NEAR(m, exact, 5 * std::sqrt((product_squares / n - m * m) / n));
}

// The same mixture of normal distributions: density against the formula, moments within 5 standard errors.
TEST(StudentMixture, InfiniteDegreesOfFreedomAreNormal) {
    const auto student = two_of_them();
    const StudentMixture normal(student.components(), infinity);
    const StudentMixture one({{1, Vector::Constant(1, 2.0), Matrix::Constant(1, 1, 3.0)}}, infinity);
    EXPECT_NEAR(one.log_density(std::vector<double>{5.0}), -0.5 - std::log(3.0) - 0.5 * std::log(2 * std::numbers::pi),
                1e-14);
    Stream stream({3, Purpose::test, 0, 0});
    constexpr Index n = 40000;
    Matrix points(2, n);
    for (Index i = 0; i < n; ++i)
        normal.draw(stream, {points.col(i).data(), 2});
    const auto moments = weighted_moments(points, std::vector<double>(n, 1.0));
    const Matrix covariance = normal.covariance();
    for (Index k = 0; k < 2; ++k) {
        const double variance = covariance(k, k), spread = variance * std::sqrt(2.0 / n);
        EXPECT_NEAR(moments.mean(k), normal.mean()(k), 5 * std::sqrt(variance / n));
        EXPECT_NEAR(moments.covariance(k, k), variance, 5 * spread);
        EXPECT_GT(std::fabs(moments.covariance(k, k) - student.covariance()(k, k)), 5 * spread) << "of the t's twin";
    }
    // Fits of normal distributions find the moments, and their numbers go forth and back.
    const auto fitted = StudentMixture::fit(points, std::vector<double>(n, 1.0), 1, infinity, 1);
    EXPECT_LT((fitted.covariance() - moments.covariance).norm(), 1e-9);
    EXPECT_EQ(StudentMixture::from_values(normal.values(), 2).values(), normal.values());
}

TEST(StudentMixture, GradientsAreThoseOfTheDensity) {
    for (const double df : {5.0, infinity}) {
        const StudentMixture mixture(two_of_them().components(), df);
        for (const auto& x : {std::vector<double>{0.3, -0.2}, {3.0, -2.0}, {7.0, -4.5}}) {
            const Matrix point = Eigen::Map<const Matrix>(x.data(), 2, 1);
            Matrix gradient(2, 1);
            double log_density = 0;
            mixture.log_densities(point, {&log_density, 1}, gradient);
            EXPECT_EQ(log_density, mixture.log_density(x));
            for (std::size_t k = 0; k < 2; ++k) {
                auto above = x, below = x;
                above[k] += 1e-5;
                below[k] -= 1e-5;
                EXPECT_NEAR(gradient(static_cast<Index>(k), 0),
                            (mixture.log_density(above) - mixture.log_density(below)) / 2e-5, 1e-8);
            }
        }
    }
}

/// Blocks that are no multiple of a register's lanes, in dimensions that are none; diagonal factors take a way of their
/// own. The formulas are those of one component with dense matrices.
TEST(StudentMixture, BlocksHaveTheBitsOfTheirPointsAndTheDensityOfDenseMatrices) {
    constexpr double df = 7;
    for (const Index d : {1, 5, 31}) {
        Stream stream({3, Purpose::test, static_cast<std::uint64_t>(d), 0});
        const auto normals = [&](Index rows, Index columns) -> Matrix {
            return Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return stream.normal(); });
        };
        Matrix full = 0.3 * normals(d, d).triangularView<Eigen::Lower>().toDenseMatrix();
        full.diagonal() = full.diagonal().cwiseAbs().array() + 0.5;
        for (const Matrix& factor : {full, Matrix(full.diagonal().asDiagonal())}) {
            const StudentMixture mixture({{1, normals(d, 1), factor}}, df);
            const Matrix points = normals(d, 21);
            std::vector<double> values(21), alone(1);
            Matrix gradients(d, 21), gradient(d, 1);
            mixture.log_densities(points, values, gradients);
            const Matrix precision = inverse(row_products(factor));
            for (Index i = 0; i < points.cols(); ++i) {
                mixture.log_densities(points.col(i), alone, gradient);
                EXPECT_EQ(alone[0], values[at(i)]);
                EXPECT_EQ(gradient.col(0), gradients.col(i));
                const Vector shift = points.col(i) - mixture.mean();
                const double distance = shift.dot(precision * shift), n = static_cast<double>(d);
                EXPECT_NEAR(values[at(i)] - mixture.log_density({mixture.mean().data(), at(d)}),
                            -0.5 * (df + n) * std::log1p(distance / df), 1e-10 * (1 + distance));
                EXPECT_LT((gradients.col(i) + (df + n) / (df + distance) * precision * shift).norm(),
                          1e-10 * (1 + (precision * shift).norm()));
            }
        }
    }
}

TEST(StudentMixture, MergedAndInflatedMixturesHaveTheMomentsTheySay) {
    const auto mixture = two_of_them();
    const auto merged = mixture.merged();
    EXPECT_EQ(merged.components().size(), 1u);
    EXPECT_LT((merged.mean() - mixture.mean()).norm(), 1e-12);
    EXPECT_LT((merged.covariance() - mixture.covariance()).norm(), 1e-9);
    const auto wide = merged.inflated(1.5);
    EXPECT_LT((wide.covariance() - 1.5 * merged.covariance()).norm(), 1e-9);
}

TEST(StudentMixture, FitFindsTheMixtureItWasDrawnFrom) {
    const auto mixture = two_of_them();
    Stream stream({2, Purpose::test, 0, 0});
    constexpr Index n = 20000;
    Matrix points(2, n);
    for (Index i = 0; i < n; ++i)
        mixture.draw(stream, {points.col(i).data(), 2});
    const std::vector<double> weights(n, 1.0);
    const auto fitted = StudentMixture::fit(points, weights, 2, 5, 50);
    ASSERT_EQ(fitted.components().size(), 2u);
    const auto& big = fitted.components()[fitted.components()[0].weight > 0.5 ? 0 : 1];
    EXPECT_NEAR(big.weight, 0.75, 0.02);
    EXPECT_NEAR(big.mean(0), 6, 0.05);
    EXPECT_NEAR(big.factor(0, 0), 0.5, 0.03);
    EXPECT_NEAR(big.factor(1, 0), 0.25, 0.03);
    // Kullback-Leibler distance by the draws is next to nothing; that of a single component is not.
    const auto single = StudentMixture::fit(points, weights, 1, 5, 50);
    double gain = 0, loss = 0;
    for (Index i = 0; i < n; ++i) {
        const std::span<const double> x(points.col(i).data(), 2);
        gain += (mixture.log_density(x) - fitted.log_density(x)) / n;
        loss += (mixture.log_density(x) - single.log_density(x)) / n;
    }
    EXPECT_NEAR(gain, 0, 2e-3);
    EXPECT_GT(loss, 0.3);
}

TEST(StudentMixture, WeightsCountAsRepetitions) {
    Matrix points(1, 4);
    points << 0, 1, 2, 5;
    const auto weighted = StudentMixture::fit(points, std::vector<double>{1, 2, 0, 1}, 1, 5, 5);
    Matrix repeated(1, 4);
    repeated << 0, 1, 1, 5;
    const auto plain = StudentMixture::fit(repeated, std::vector<double>{1, 1, 1, 1}, 1, 5, 5);
    EXPECT_NEAR(weighted.components()[0].mean(0), plain.components()[0].mean(0), 1e-14);
    EXPECT_NEAR(weighted.components()[0].factor(0, 0), plain.components()[0].factor(0, 0), 1e-14);
}

TEST(StudentMixture, ValuesReadBack) {
    const auto mixture = two_of_them();
    const auto copy = StudentMixture::from_values(mixture.values(), 2);
    EXPECT_EQ(copy.values(), mixture.values());
    EXPECT_EQ(copy.log_density(std::vector<double>{1, 2}), mixture.log_density(std::vector<double>{1, 2}));
}

TEST(StudentMixture, DegeneratePointsStillGiveAProposal) {
    const Matrix same = Matrix::Constant(2, 10, 3.0);
    const auto mixture = StudentMixture::fit(same, std::vector<double>(10, 1.0), 3, 5, 5);
    EXPECT_TRUE(std::isfinite(mixture.log_density(std::vector<double>{3, 3})));
}

// A checkpoint's copy has the same bits, also where the weights sum to 1 but for rounding.
TEST(StudentMixture, CopiesByValuesAreExact) {
    Stream stream({8, Purpose::test, 0, 0});
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<StudentMixture::Component> components;
        for (int k = 0; k < 6; ++k)
            components.push_back({stream.uniform(), Vector::Constant(1, stream.normal()), Matrix::Identity(1, 1)});
        const StudentMixture mixture(std::move(components), 5);
        const auto copy = StudentMixture::from_values(mixture.values(), 1);
        EXPECT_EQ(copy.values(), mixture.values());
        EXPECT_EQ(StudentMixture::from_values(copy.values(), 1).values(), mixture.values());
    }
}

} // namespace
} // namespace pearlite::random
