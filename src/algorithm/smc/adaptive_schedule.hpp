#pragma once
/// Temperatures that a run chooses as it goes.

#include "pearlite/core/types.hpp"

#include <functional>

namespace pearlite::algorithm {

/// The next temperature is as far as the conditional ESS of the step allows: the given fraction of M; and at most so
/// far that the step's log weights have the standard deviation log_weight_sd. A few particles of enormous weight or of
/// none, as a vague prior draws them, hardly change the conditional ESS, but they decide integrals over the path.
struct AdaptiveSchedule {
    double inverse_temperature_end = 1;
    double conditional_ess = 0.95;
    double log_weight_sd = infinity;
};

/// The farthest inverse temperature that both limits allow. The conditional ESS falls with `to`: bisection to 1e-6 of
/// the step. variance_u: of u = d log f_b/db at `from`; on a linear path log weights are the step times u.
/// NumericalError if any step is too long.
double next_of(const AdaptiveSchedule& wanted, double from, double variance_u,
               const std::function<double(double to)>& conditional_ess);

} // namespace pearlite::algorithm
