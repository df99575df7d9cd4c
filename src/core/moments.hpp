#pragma once
/// Moments of points, and products and solutions with matrices. Eigen's templates for them are compiled here alone:
/// each takes seconds.

#include "pearlite/core/types.hpp"

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

/// L^{-1} x in place of x, with a lower triangular L; elements above its diagonal are not read.
void solve_lower(const Matrix& lower, Eigen::Ref<Matrix> x);

} // namespace pearlite
