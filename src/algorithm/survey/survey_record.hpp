#pragma once
/// The record of a survey, for the run that follows and for its report.

#include "core/fields.hpp"
#include "path/optimal/profile.hpp"

#include <vector>

namespace pearlite::algorithm {

/// Temperatures at which trajectories were held.
struct Knots {
    std::vector<double> inverse_temperature, mean_u, tau;
    std::vector<std::int64_t> sweeps;         ///< of the hold
    std::vector<std::int64_t> is_lower_bound; ///< of tau: 1 if the hold was shorter than 20 tau

    void fields(Fields& f);
};

struct SurveyRecord {
    path::PathProfile profile;    ///< as measured at each temperature; tau interpolated between the knots, else 1
    bool has_tau = false;         ///< trajectories were held to measure it
    std::vector<double> friction; ///< g tau without holds, from the growth of Var[log w] along the survey
    Knots knots;
    std::vector<double> learnt_at; ///< the inverse temperatures of the rows that a pilot's kernel learnt
    Index repaired = 0;            ///< temperatures where u had no finite variance, so that a neighbour stands in

    bool is_empty() const { return profile.inverse_temperature.empty(); }
    void fields(Fields& f);
};

} // namespace pearlite::algorithm
