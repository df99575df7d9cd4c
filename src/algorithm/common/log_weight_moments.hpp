#pragma once
/// Moments of the log weights of independent trajectories, by which schedules are judged.

#include "algorithm/common/settings.hpp"
#include "population/shards.hpp"

namespace pearlite::algorithm {

/// Collective. Of sign x the numbers: 1 of log weights, -1 of forward works. An infinite one makes them NaN.
LogWeightMoments log_weight_moments(const population::Shards& numbers, double sign);

} // namespace pearlite::algorithm
