#pragma once
/// The table [schedule].

#include "algorithm/pilot/spread_temperatures.hpp"
#include "algorithm/plans/optimised_schedule.hpp"

#include <optional>
#include <vector>

namespace pearlite::algorithm {

/// Inverse temperatures of the algorithms that anneal.
struct ScheduleSettings {
    using Kind = ScheduleKind;

    Kind kind = Kind::linear;
    Index steps = 1000; ///< temperatures after the first
    double epsilon = 1e-3, ratio = 100;
    std::vector<double> knots, shares;
    InputFile file;
    double conditional_ess = 0.95;
    std::optional<double> log_weight_sd;
    bool spreads = false; ///< temperatures of a pilot are spread anew, for independent trajectories
    algorithm::Spread spread;
    OptimisedSchedule optimised;
    double end = 1;                      ///< of the path
    std::optional<path::Schedule> fixed; ///< absent: adaptive; of an optimised schedule as many even steps, until known

    /// Reading also makes `fixed`; mistakes of its shape are recorded. `may_optimise`: a survey can come before the
    /// run.
    void keys(Keys& k, bool may_optimise);
    /// A survey of the path makes the schedule.
    bool is_optimised() const { return kind >= Kind::varopt; }
    /// The temperatures that the configuration gives; null if a run or a pilot finds them.
    const path::Schedule* given() const { return fixed && !is_optimised() ? &*fixed : nullptr; }
    path::Temperatures temperatures() const;

  private:
    void list_shape(Keys& k);
    path::Schedule made() const;
};

} // namespace pearlite::algorithm
