#include "simd/triangular_factor.hpp"

#include "draws.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::simd {
namespace {

Matrix random_matrix(Index rows, Index columns, unsigned seed) {
    testing::Draws draws(seed);
    return Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return draws.uniform(-2, 2); });
}

/// A factor as of a covariance, with NaN where it must not be read.
Matrix random_factor(Index d) {
    Matrix lower = random_matrix(d, d, 1) / std::sqrt(static_cast<double>(d));
    lower.diagonal() = lower.diagonal().cwiseAbs().array() + 1;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
    return lower;
}

constexpr Index dimensions[] = {1, 2, 7, 8, 9, 16, 31, 100};
constexpr Index numbers_of_points[] = {0, 1, 3, 8, 16, 27};

/// To the last bit, with fused products in the order of the terms: so they are the same for all instructions.
TEST(TriangularFactor, ProductsAreAddedUpInOrder) {
    for (const Index d : dimensions)
        for (const Index n : numbers_of_points) {
            const Matrix lower = random_factor(d), x = random_matrix(d, n, 2);
            const TriangularFactor factor(lower);
            Matrix product, transposed;
            factor.multiply(x, product);
            factor.multiply_transposed(x, transposed);
            ASSERT_EQ(product.cols(), n);
            for (Index i = 0; i < n; ++i)
                for (Index row = 0; row < d; ++row) {
                    double sum = 0, sum_of_transposed = 0;
                    for (Index k = 0; k <= row; ++k)
                        sum = std::fma(lower(row, k), x(k, i), sum);
                    for (Index k = row; k < d; ++k)
                        sum_of_transposed = std::fma(lower(k, row), x(k, i), sum_of_transposed);
                    ASSERT_EQ(product(row, i), sum) << d << ' ' << n;
                    ASSERT_EQ(transposed(row, i), sum_of_transposed) << d << ' ' << n;
                }
        }
}

TEST(TriangularFactor, SolvesForPointsOneByOneAndTogether) {
    for (const Index d : dimensions)
        for (const Index n : numbers_of_points) {
            const TriangularFactor factor(random_factor(d));
            const Matrix x = random_matrix(d, n, 3);
            Matrix product;
            factor.multiply(x, product);
            Matrix together = Matrix::Constant(d + 3, n, 7); // of a larger matrix, whose other rows stay
            together.topRows(d) = product;
            factor.solve(together.topRows(d));
            EXPECT_LE((together.topRows(d) - x).norm(), 1e-12 * x.norm()) << d << ' ' << n;
            Matrix transposed;
            factor.multiply_transposed(x, transposed);
            Matrix of_transposed = transposed;
            factor.solve_transposed(of_transposed);
            EXPECT_LE((of_transposed - x).norm(), 1e-12 * x.norm()) << d << ' ' << n;
            EXPECT_TRUE((together.bottomRows(3).array() == 7).all());
            for (Index i = 0; i < n; ++i) {
                Matrix one = product.col(i), one_of_transposed = transposed.col(i);
                factor.solve(one);
                factor.solve_transposed(one_of_transposed);
                EXPECT_EQ(one, together.topRows(d).col(i)) << d << ' ' << n;
                EXPECT_EQ(one_of_transposed, of_transposed.col(i)) << d << ' ' << n;
            }
        }
}

} // namespace
} // namespace pearlite::simd
