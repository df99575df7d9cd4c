#pragma once
/// Moments of the log weights of independent trajectories, by which schedules are judged.

#include "algorithm/common/settings.hpp"
#include "population/shards.hpp"

namespace pearlite::algorithm {

/// log Z/Z_0 so far of n independent trajectories, from a trace: its error by the delta method, sqrt(1/ESS - 1/n);
/// nothing below an ESS of 5, where an estimate has no error bar.
LogRatioSoFar independent_log_ratio(const Trace& trace, Index n);

/// Collective. Moments of sign x the numbers; sign is 1 for log weights, -1 for forward works. An infinite number makes
/// them NaN.
LogWeightMoments log_weight_moments(const population::Shards& numbers, double sign);

} // namespace pearlite::algorithm
