#pragma once
/// Moments of points, and the products of matrices that they need. Eigen's template for products is compiled here
/// alone: it takes seconds.

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

} // namespace pearlite
