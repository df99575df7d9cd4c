#pragma once
/// A capability of densities whose path begins near the posterior.

#include "pearlite/core/types.hpp"

namespace pearlite::path {

/// The scale of the distribution at which the path of a density begins, where that is a fit to the posterior.
class StartScale {
  public:
    virtual ~StartScale() = default;
    /// d x d, lower triangular; its product with its transpose is the covariance.
    virtual const Matrix& factor() const = 0;
};

} // namespace pearlite::path
