#pragma once
/// Whether the gradient that a model offers is that of its log densities, and its metric can be one and has the
/// derivatives that come with it.

#include "pearlite/model/target.hpp"

#include <string>

namespace pearlite::app {

/// Compares the gradient of a density with differences of its log densities, at points drawn from the prior with a
/// separate seed. Returns a sentence on the largest difference, or nothing if no gradient is offered. InputError, which
/// names a point and a coordinate, if the gradient is wrong or returns different log densities.
///
/// A derivative by x is wrong if it is off by more than 1e-4 of itself (of 1/s if that is larger, s the scale of x in
/// draws from the prior), and by more than ten times what the differences' own error may be. At each point 64
/// coordinates are compared at most; if there are more, also a direction that all of them have a part in.
std::string check_gradient(const model::Target& target);

/// Compares the derivatives of a density's metric with differences of the metric, at points drawn from the prior with a
/// separate seed. Returns a sentence on the largest difference, or nothing if no metric is offered. InputError, which
/// names a point, if the metric is not symmetric and positive definite there, or a derivative is wrong.
///
/// With lengths in units of the metric's own local standard deviations, a derivative is wrong if an element is off by
/// more than 1e-4, or 1e-4 of the largest element if that is above 1, and by more than ten times what the differences'
/// own error may be. 64 coordinates are compared at most.
std::string check_metric(const model::Target& target);

} // namespace pearlite::app
