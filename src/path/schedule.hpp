#pragma once
/// Annealing schedules: the inverse temperatures 0 = b_0 < b_1 < ... < b_K = b_end. A schedule is data: it can be
/// saved, plotted and used by every sampler. Samplers of populations may choose their temperatures as they go instead.

#include "pearlite/core/types.hpp"

#include <functional>
#include <span>
#include <variant>
#include <vector>

namespace pearlite::path {

class Schedule {
  public:
    Schedule() = default;
    /// b_0 = 0, strictly increasing, finite, at least two points; InputError says which point is wrong.
    explicit Schedule(std::vector<double> inverse_temperatures);

    /// K: the number of intervals.
    Index steps() const { return static_cast<Index>(points_.size()) - 1; }
    double operator[](Index k) const { return points_[static_cast<std::size_t>(k)]; }
    double end() const { return points_.back(); }
    const std::vector<double>& points() const { return points_; }

  private:
    std::vector<double> points_;
};

/// b_k = b_end k/K.
Schedule linear_schedule(Index steps, double end);

/// b_0 = 0, b_k = b_end epsilon^((K-k)/(K-1)): even in log b from epsilon b_end; K >= 2.
Schedule geometric_schedule(Index steps, double end, double epsilon = 1e-3);

/// b_k = b_end (ratio^{k/K} - 1)/(ratio - 1), ratio > 0: steps that grow by a constant factor, the last ratio times the
/// first (about); 1 is linear. Even in the log of a precision that grows by the factor `ratio`.
Schedule exponential_schedule(Index steps, double end, double ratio);

/// Linear pieces between 0 and knots[0] b_end, knots[0] b_end and knots[1] b_end, ..., the last knot being 1; piece i
/// has a share of the K steps proportional to shares[i], by largest remainder with at least one each. InputError
/// otherwise.
Schedule piecewise_schedule(Index steps, double end, std::span<const double> knots, std::span<const double> shares);

/// The shape of Salakhutdinov & Murray (2008): 500 intervals on [0, 0.5], 4000 on [0.5, 0.9], 10000 on [0.9, 1] (times
/// b_end), their numbers scaled to K in total (K >= 3) by largest remainder with at least one each.
Schedule sm08_schedule(Index steps, double end);

/// Temperatures that a run chooses adaptively. A step ends where its conditional ESS falls to the given fraction of M,
/// or earlier, where the standard deviation of its log weights reaches log_weight_sd. The second limit protects
/// integrals over the path: a few particles of enormous weight or of none, as a vague prior draws them, dominate these
/// and hardly change the conditional ESS.
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

/// A schedule, or how temperatures are chosen.
struct Temperatures : std::variant<Schedule, AdaptiveSchedule> {
    using variant::variant;

    /// The last inverse temperature.
    double end() const;
    /// K; 0 where a run chooses its temperatures.
    Index steps() const;
};

} // namespace pearlite::path
