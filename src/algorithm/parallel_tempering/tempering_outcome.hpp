#pragma once
/// The outcome of parallel tempering, from its sums over scans.

#include "algorithm/common/settings.hpp"
#include "algorithm/parallel_tempering/ladder.hpp"

#include <vector>

namespace pearlite::algorithm {

/// Collective. From the sums of the states that this rank owns under `layout`, whose block t holds the R states at the
/// temperature t. Every rank gets the result, the same on any number of ranks; no rank holds more than its own sums, R
/// numbers of the jackknife and some numbers of each temperature.
///
/// Stepping stones (Xie et al. 2011): sum_t log mean f_{t+1}/f_t over p_t. Thermodynamic integration: trapezoidal, with
/// Euler and Maclaurin's correction by Var[u] where the path is linear; else extrapolated from the ladder and every
/// second of its temperatures, if it has an even number of steps. Standard errors by jackknife over the replica
/// systems, which are independent; none for fewer than 8. An integral is refused (NaN) where the curvature of one
/// interval exceeds half a nat, or where it lies more than half a nat and 4 joint errors from the stepping stones; 4
/// joint errors alone cost it its error bar.
Outcome tempering_outcome(const parallel::Communicator& ranks, const TemperingSums& sums,
                          const parallel::BlockLayout& layout, const TemperingFacts& facts);

} // namespace pearlite::algorithm
