#pragma once
/// The scalars of a run by name, from its summary.

#include "app/result/parts/summary_parts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pearlite::app {

using Scalar = std::pair<std::string, double>;

/// Every number of a summary.json, in its order. A name is the path of the number, joined by points; entries of a list
/// are named by their "name", or their "estimator" and "quantity" (and "error_method" where that name is taken), or
/// their number. Intervals are `.low` and `.high`; `warnings` counts them. Other lists of numbers are left out.
std::vector<Scalar> scalars_of(const Json& summary);

/// Whether a scalar depends on the clock, on the machine or on the number of ranks.
bool is_of_machine(const std::string& scalar);

/// The scalars for a short table: the first estimate, the best energy, the ESS, and at the end the time.
std::vector<std::string> headline_of(const std::vector<std::string>& scalars);

} // namespace pearlite::app
