#pragma once
/// Schedules that are optimal for what is known of a path (Kiwaki 2015; with the kernel's memory: the friction metric
/// of Sivak & Crooks 2012). Independent trajectories with K steps have
///
///     Var[log w] -> (1/K) int_0^1 b'(s)^2 g(b) tau(b) ds,
///
/// which is least where b'(s) sqrt(g tau) is constant: s(b) = int_0^b sqrt(g tau) / int_0^end sqrt(g tau).

#include "path/optimal/profile.hpp"
#include "path/schedule.hpp"

#include <optional>
#include <span>

namespace pearlite::path {

struct OptimalSettings {
    double floor = 0.05;       ///< share of even steps: no slope b' is above 1/floor of the linear schedule's
    std::optional<double> cap; ///< the largest slope b', in multiples of the linear schedule's; at least 1
};

/// K steps of equal lengths of speed_limit, which is given at n increasing inverse temperatures from 0 to the end, by
/// quadrature: s(b) <- (1 - floor) s(b) + floor b/end. Then the cap. InputError for a cap below 1.
Schedule equal_length_schedule(Index steps, std::span<const double> inverse_temperature,
                               std::span<const double> speed_limit, const OptimalSettings& settings = {});

/// The same by the fixed point of Kiwaki's equation (9), integrated once:
/// b(s) <- end int_0^s ds'/speed_limit(b(s')) / int_0^1, from the linear schedule on. NumericalError if 1000 iterations
/// do not come to it.
Schedule fixed_point_schedule(Index steps, std::span<const double> inverse_temperature,
                              std::span<const double> speed_limit, const OptimalSettings& settings = {});

/// The schedule whose variance is least by the sum that ScheduleCost::finite_steps is, where the kernel's memory is not
/// short against so few steps: L-BFGS over the speed at 24 places, from the schedule of equal lengths of sqrt(g tau)
/// on.
Schedule finite_steps_schedule(Index steps, const PathProfile& profile, const OptimalSettings& settings = {});

/// No step longer than `cap` even ones (Kiwaki's Algorithm 3, solved directly): steps d_k become min(cap/K, c d_k).
/// InputError for a cap below 1.
Schedule capped(const Schedule& schedule, double cap);

/// The schedule of Grosse, Maddison & Salakhutdinov (2013): between knots (from 0 to the end) steps are even, and their
/// number is proportional to sqrt((b_{j+1} - b_j)(E_{j+1}[u] - E_j[u])), by largest remainder with one at least; a
/// difference below 0 counts as 0.
Schedule gms13_schedule(Index steps, std::span<const double> knots, std::span<const double> mean_u);

// The cost of a schedule: the variance of independent trajectories' log weights, predicted from a profile of the path
// (Kiwaki 2015, Theorem 1, and Sivak & Crooks 2012 for kernels that remember).

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
