#pragma once
/// A normal distribution in place of a posterior.

#include "pearlite/core/types.hpp"

namespace pearlite::model {

/// N(mean, factor factor'), of d coordinates.
struct NormalApproximation {
    Vector mean;   ///< d
    Matrix factor; ///< d x d, lower triangular
};

} // namespace pearlite::model
