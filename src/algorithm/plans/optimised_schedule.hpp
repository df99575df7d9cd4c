#pragma once
/// Optimised schedules: their keys in [schedule], and the schedule for a survey of the path.

#include "algorithm/pilot/survey.hpp"
#include "path/optimal/optimal_schedule.hpp"
#include "pearlite/core/keys.hpp"

#include <optional>
#include <string>

namespace pearlite::algorithm {

/// schedule.kind
enum class ScheduleKind {
    linear,
    geometric,
    exponential,
    piecewise,
    sm08,
    file,
    adaptive,
    varopt,
    varopt_m,
    gms13,
    equal_rejection
};

struct OptimisedSchedule {
    using Kind = ScheduleKind;
    enum class Smoothing { length, temperature, none };
    enum class Solver { quadrature, fixed_point };
    enum class Functional { automatic, integral, finite };

    Kind kind = Kind::varopt; ///< one of the last four
    Index pilot_steps = 1000, pilot_trajectories = 100;
    Index hold_knots = 32, hold_sweeps = 400;
    Smoothing smoothing = Smoothing::length;
    double smoothing_width = 0.02;
    Solver solver = Solver::quadrature;
    Functional functional = Functional::automatic;
    bool refine = false; ///< rounds of replicates learn from those before them
    path::OptimalSettings shape;
    std::optional<double> target_error;

    /// Lists the keys of `kind`; `k` stands in [schedule].
    void keys(Keys& k);
    SurveySettings survey_settings(Index block, const random::Seed& seed) const;
    /// The profile that schedules and predictions are made of: smoothed, tau from holds or from their substitute.
    path::PathProfile profile_of(const SurveyRecord& survey) const;
    /// A schedule of `steps` steps; with target_error, of as many of them as that error needs with these independent
    /// trajectories.
    path::Schedule schedule_of(const SurveyRecord& survey, Index steps, Index trajectories) const;
    /// "100 trajectories x 1000 temperatures, held at 32 of them for up to 400 sweeps".
    std::string cost() const;

  private:
    bool holds() const { return kind == Kind::gms13 || (kind == Kind::varopt_m && hold_sweeps > 0); }
    path::Schedule with_steps(const path::PathProfile& profile, const SurveyRecord& survey, Index steps,
                              bool is_finite) const;
    path::Schedule best_of(const path::PathProfile& profile, const SurveyRecord& survey, Index steps) const;
};

/// The survey that finished replicates amount to, all along one schedule: g = Var[u] from their traces, and g tau from
/// the growth of V = log(M/ESS), the variance of normal log weights.
SurveyRecord refined_survey(const std::vector<Trace>& replicates);

/// For each step of a schedule, the row of a kernel's learnt settings that it uses: that of the next temperature in
/// `learnt_at`.
std::vector<Index> learnt_rows(std::span<const double> learnt_at, const path::Schedule& schedule);

} // namespace pearlite::algorithm
