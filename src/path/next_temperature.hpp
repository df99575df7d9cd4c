#pragma once
/// The next temperature of an adaptive schedule, where a population lies on several machines.

#include "path/schedule.hpp"

namespace pearlite::path {

/// The conditional ESS of several inverse temperatures at once.
using ConditionalEss = std::function<std::vector<double>(std::span<const double> to)>;

/// next_of(), to the same bits, in about 20 / levels calls in place of 20: a call asks for whole levels of the tree of
/// bisections, 2^levels - 1 temperatures, of which it needs one a level.
double next_of(const AdaptiveSchedule& wanted, double from, double variance_u, const ConditionalEss& conditional_ess,
               int levels);

} // namespace pearlite::path
