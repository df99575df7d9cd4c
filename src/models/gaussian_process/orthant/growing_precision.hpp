#pragma once
/// The inverse of a covariance matrix as variables are added to it one by one.

#include "pearlite/core/types.hpp"

#include <vector>

namespace pearlite::models {

/// S = Sigma_[n]^{-1} in the order of the variables, grown in O(n^2) by the block inverse
///
///     c = 1/(Sigma_{n+1,n+1} - s'S s), s = Sigma_{[n],n+1};   S <- (S + c (S s)(S s)', -c S s; ., c)
class GrowingPrecision {
  public:
    /// `covariance` must outlive it. `order`: a permutation of its rows; n = 1 at first.
    GrowingPrecision(const Matrix& covariance, std::vector<Index> order);

    Index n() const { return n_; }
    /// n x n, S.
    auto matrix() const { return precision_.topLeftCorner(n_, n_); }
    /// The next variable given those present has mean coefficients()'z, as Sigma is the covariance, and variance
    /// next_variance(). For n < N.
    const Vector& coefficients() const { return coefficients_; }
    double next_variance() const { return next_variance_; }
    /// n -> n + 1; n < N. NumericalError if the covariance is not positive definite.
    void grow();

  private:
    void find_next();

    const Matrix& covariance_;
    std::vector<Index> order_;
    Index n_ = 1;
    Matrix precision_; ///< N x N, of which n x n are in use
    Vector coefficients_;
    double next_variance_ = 0;
};

} // namespace pearlite::models
