#pragma once
/// Makes an optimised schedule once for many runs: makes the survey alone, and writes the schedule to a file.

#include "algorithm/plans/annealing_plan.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace pearlite::app {

struct ScheduleTuning {
    path::Schedule schedule;
    path::PathProfile profile; ///< smoothed
    algorithm::SurveyRecord survey;
    path::ScheduleCost cost, cost_of_linear; ///< of as many steps

    nlohmann::ordered_json json() const;
    /// Lines for a person.
    std::string describe() const;
    /// One inverse temperature per line, after comments on their origin.
    std::string file(const std::string& configuration) const;
};

/// Collective. The plan's schedule is an optimised one; `target` is the model along its path. The pilot and the survey
/// are those of a run of the plan, with the same bits.
ScheduleTuning tune_schedule(const parallel::Communicator& ranks, const algorithm::AnnealingPlan& plan,
                             const algorithm::AnyTarget& target);

} // namespace pearlite::app
