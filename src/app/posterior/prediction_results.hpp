#pragma once
/// Predictions in results.h5. Private to this layer.

#include "app/posterior/predictions.hpp"
#include "io/container/container.hpp"

namespace pearlite::app {

/// predictions/: points, left_out, levels; within/<name>/ and beyond/<name>/: dimension, description, mean, quantiles
/// (a level a row), replicates (a point a row); observed and ranks where there are observations. The values are rank
/// 0's.
void write_predictions(io::Writer& writer, const Predictions& predictions);

} // namespace pearlite::app
