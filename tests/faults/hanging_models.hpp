#pragma once
/// Models with a function that never returns: a density, a model with user-defined states and transition, a density
/// that grows, an energy.

#include "pearlite/app/catalogue.hpp"

#include <vector>

namespace pearlite::faults {

/// "hanging-density", "hanging-transition", "hanging-growth", "hanging-energy". PEARLITE_HANG="RANK AFTER" in the
/// environment makes all calls of the likelihood, transition or energy on that rank hang after so many; then "hangs"
/// goes to stderr. Without it they are sound.
std::vector<app::ModelEntry> hanging_models();

} // namespace pearlite::faults
