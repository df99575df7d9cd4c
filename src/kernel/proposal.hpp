#pragma once
/// Scales of random-walk proposals.

#include "pearlite/core/types.hpp"

namespace pearlite::kernel {

/// L with L L' = (2.38^2/d) covariance (Roberts, Gelman & Gilks 1997): steps L z, z ~ N(0, I). A covariance that is not
/// positive definite (few distinct particles) gives the diagonal of its variances; variances of zero (or not finite)
/// take the rows of `fallback` (d x d).
Matrix random_walk_factor(const Matrix& covariance, const Matrix& fallback);

} // namespace pearlite::kernel
