#pragma once
/// The cost of a schedule: the variance of independent trajectories' log weights, predicted from a profile of the path
/// (Kiwaki 2015, Theorem 1, and Sivak & Crooks 2012 for kernels that remember).

#include "path/optimal/profile.hpp"
#include "path/schedule.hpp"

namespace pearlite::path {

/// Predictions of Var[log w], in nats squared.
struct ScheduleCost {
    double perfect_mixing = 0;  ///< (1/K) int b'^2 g ds: every step draws anew
    double measured_mixing = 0; ///< (1/K) int b'^2 g tau ds: the path changes little while the kernel forgets
    double finite_steps = 0;    ///< the same covariances, none of which reaches back before b = 0
    double lag = 0; ///< the largest distance of E[u] from equilibrium, in standard deviations of u: above 0.3 the
                    ///< prediction is rough, above 1 the schedule outruns the kernel and no prediction holds
};

ScheduleCost cost_of(const Schedule& schedule, const PathProfile& profile);

/// K Var[log w] of the best schedule: (int sqrt(g tau) db)^2, or (int sqrt g db)^2 of perfect mixing.
double least_cost(const PathProfile& profile, bool with_tau);

} // namespace pearlite::path
