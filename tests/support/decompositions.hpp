#pragma once
/// Decompositions of dense matrices for tests, compiled once: Eigen's templates cost each source seconds of
/// compilation. They do not use core/linear_algebra, which is under test.

#include "pearlite/core/types.hpp"

namespace pearlite::decompositions {

Matrix inverse(const Matrix& square);
double determinant(const Matrix& square);

/// L of L L' = `definite`.
Matrix cholesky_factor(const Matrix& definite);

/// x of `symmetric` x = b.
Vector solution(const Matrix& symmetric, const Vector& b);

/// x with `definite` = L L' and L' x = b: of covariance `definite`^-1 if b is standard normal.
Vector upper_solution(const Matrix& definite, const Vector& b);

/// Eigenvalues in increasing order, and an eigenvector a column.
struct Modes {
    Vector values;
    Matrix vectors;
};
Modes modes_of(const Matrix& symmetric);

} // namespace pearlite::decompositions
