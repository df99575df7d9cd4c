#pragma once
/// Moments of the log weights of independent trajectories, by which schedules are judged.

#include "algorithm/common/settings.hpp"
#include "population/shards.hpp"

namespace pearlite::algorithm {

/// log Z/Z_0 so far of n independent trajectories, from a trace: its error by the delta method, sqrt(1/ESS - 1/n);
/// nothing below an ESS of 5, where an estimate has no error bar.
LogRatioSoFar independent_log_ratio(const Trace& trace, Index n);

/// Collective. Of sign x the numbers: 1 of log weights, -1 of forward works. An infinite one makes them NaN.
LogWeightMoments log_weight_moments(const population::Shards& numbers, double sign);

} // namespace pearlite::algorithm
