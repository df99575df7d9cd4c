#pragma once
/// Moments of points, products and decompositions of matrices. Eigen's templates for them are compiled here alone: each
/// takes seconds.

#include "pearlite/core/types.hpp"

#include <optional>
#include <span>

namespace pearlite {

/// Mean (d) and covariance (d x d).
struct Moments {
    Vector mean;
    Matrix covariance; ///< with the divisor 1, as for the whole population
};

/// The moments of the columns of `points`, d x n, with weights that need not sum to 1.
Moments weighted_moments(const Matrix& points, std::span<const double> weights);

/// factor A B.
Matrix product(double factor, const Matrix& a, const Matrix& b);
/// A A' and A' A.
Matrix row_products(const Matrix& a);
Matrix column_products(const Matrix& a);

/// Eigenvalues of a symmetric matrix, the smallest first.
Vector symmetric_eigenvalues(const Matrix& symmetric);
/// Its eigenvectors, of length 1, as columns in the same order.
Matrix symmetric_eigenvectors(const Matrix& symmetric);
/// The lower triangular L with A = L L'; nothing if the symmetric A is not positive definite.
std::optional<Matrix> cholesky_factor(const Matrix& symmetric);
/// x with L L' x = b.
Vector cholesky_solution(const Matrix& lower, const Vector& b);
/// out = L x and out = L' x with a lower triangular L; elements above its diagonal are not read. `out` is not x.
void lower_product(const Matrix& lower, const Matrix& x, Matrix& out);
void lower_transposed_product(const Matrix& lower, const Matrix& x, Matrix& out);
/// L^{-1} x in place of x.
void solve_lower(const Matrix& lower, Eigen::Ref<Matrix> x);
/// The inverse of a square matrix, which holds what is not finite if there is none.
Matrix inverse(const Matrix& square);
/// The x of least norm among those that make |A x - b| least.
Vector least_squares(const Matrix& a, const Vector& b);

} // namespace pearlite
