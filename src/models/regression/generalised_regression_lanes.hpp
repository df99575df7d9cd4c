#pragma once
/// Points of regressions side by side in vector lanes.

#include "simd/lane_products.hpp"

#include <Eigen/Core>

namespace pearlite::models::regression_lanes {

/// A point's numbers do not depend on its place among the lanes.
inline constexpr Index lanes = block_padding;
static_assert(lanes == simd::points_abreast);
/// The rows of X come in pieces that stay in the cache.
inline constexpr Index piece = 10 * simd::sums_abreast<float>;

using Lanes = Eigen::Array<double, lanes, 1>;
using Predictors = Eigen::Array<double, lanes, piece>;
using SinglePredictors = Eigen::Array<float, lanes, piece>;

} // namespace pearlite::models::regression_lanes
