#pragma once
/// The spot check of a finished run (algorithm/spot_check).

#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

/// Collective. Checks a finished run of densities, unless run.spot_check is off or there is an objection. A
/// contradiction withholds all error bars.
void check_spots(RunView& run);

} // namespace pearlite::app
