#pragma once
/// Whether the gradient that a model offers is that of its log densities.

#include "pearlite/model/target.hpp"

#include <string>

namespace pearlite::app {

/// Compares the gradient of a density with differences of its log densities, at points drawn from the prior with a
/// seed of its own; a sentence on the largest difference, or nothing if no gradient is offered. InputError, which names
/// a point and a coordinate, if the gradient is wrong, or comes with other log densities.
///
/// A derivative by x is wrong if it is off by more than 1e-4 of itself (of 1/s if that is larger, s the scale of x in
/// draws from the prior), and by more than ten times what the differences' own error may be. At each point 64
/// coordinates are compared at most; if there are more, also a direction that all of them have a part in.
std::string check_gradient(const model::Target& target);

} // namespace pearlite::app
