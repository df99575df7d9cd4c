#pragma once
/// Whether the metric that a model offers can be one, and has the derivatives that come with it.

#include "pearlite/model/target.hpp"

#include <string>

namespace pearlite::app {

/// Compares the derivatives of a density's metric with differences of the metric, at points drawn from the prior with a
/// seed of its own; a sentence on the largest difference, or nothing if no metric is offered. InputError, which names a
/// point, if the metric is not symmetric and positive definite there, or a derivative is wrong.
///
/// With lengths in units of the metric's own local standard deviations, a derivative is wrong if an element is off by
/// more than 1e-4, or 1e-4 of the largest element if that is above 1, and by more than ten times what the differences'
/// own error may be. 64 coordinates are compared at most.
std::string check_metric(const model::Target& target);

} // namespace pearlite::app
