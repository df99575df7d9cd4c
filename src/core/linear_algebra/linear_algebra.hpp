#pragma once
/// Decompositions of matrices. Eigen's templates for them are compiled here alone: each takes seconds.

#include "pearlite/core/types.hpp"

#include <optional>

namespace pearlite {

/// Makes products of large matrices give the same bits on every CPU: by default Eigen cuts them by the sizes of the
/// CPU's caches. Call it at the start of a program.
void cut_products_alike();

/// Eigenvalues of a symmetric matrix, the smallest first.
Vector symmetric_eigenvalues(const Matrix& symmetric);
/// Its eigenvectors, of length 1, as columns in the same order.
Matrix symmetric_eigenvectors(const Matrix& symmetric);
/// The lower triangular L with A = L L'; nothing if the symmetric A is not positive definite.
std::optional<Matrix> cholesky_factor(const Matrix& symmetric);
/// x with L L' x = b.
Vector cholesky_solution(const Matrix& lower, const Vector& b);
/// The inverse of a square matrix; has elements that are not finite if the matrix is singular.
Matrix inverse(const Matrix& square);
/// The x of least norm among those that make |A x - b| least.
Vector least_squares(const Matrix& a, const Vector& b);

} // namespace pearlite
