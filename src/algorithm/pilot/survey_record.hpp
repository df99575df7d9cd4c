#pragma once
/// The record of a survey, for the run that follows and for its report, and the fluctuations that it is made of.

#include "core/fields.hpp"
#include "path/optimal/profile.hpp"

#include <span>
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

// Fluctuations of u = d log f_b/db among trajectories at one temperature, and along a hold at it.

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
