#pragma once
/// Fluctuations of u = d log f_b/db among trajectories at one temperature, and along a hold at it.

#include "pearlite/core/types.hpp"

#include <span>
#include <vector>

namespace pearlite::algorithm {

struct Fluctuations {
    double mean = 0, variance = 0;
    double half_difference = 0; ///< E|u - u'|/2 of two independent ones
    double ess = 0;             ///< of the weights, in trajectories
};

/// Fluctuations of u over n >= 2 trajectories, weighted if the weights are worth at least half the trajectories. Else
/// the averages are plain: less noisy, and a little behind the path.
Fluctuations fluctuations_of(std::span<const double> u, std::span<const double> log_weights);

/// Autocorrelation of u along a hold.
struct HoldEstimate {
    double mean = 0, variance = 0;
    double tau = 1; ///< 1 + 2 sum rho_t, at least 1; the sum ends at the first lag of 5 tau
};

/// u: sweeps x trajectories, equilibrated. Deviations are from the mean over trajectories at each sweep: a mean within
/// trajectories would hide what is slower than the hold. At least 2 sweeps and 2 trajectories.
HoldEstimate estimate_of_hold(const Matrix& u);

} // namespace pearlite::algorithm
