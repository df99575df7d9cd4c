#pragma once
/// Chooses the number of particles of an estimated likelihood by a pilot, measurements near the mode, and the formula
/// of Tran, Strickland, Pitt & Kohn, section 3.4.

#include "algorithm/plans/annealing_plan.hpp"
#include "app/tune/likelihood_measurement.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pearlite::app {

/// Estimates of one size at the points near the mode.
struct MeasuredSize {
    Index particles = 0;
    double variance = 0; ///< of the log estimate, averaged over the points
    double seconds = 0;  ///< of processor time for one estimate
};

struct Tuning {
    Vector mode;               ///< the best of the points near the mode, as people read it
    double log_density = 0;    ///< log prior (of the point as samplers move it) + log of the mean estimate there
    Index pilot_particles = 0; ///< of each estimate in the pilot that was used
    Index pilot_temperatures = 0;
    bool schedule_is_given = false;           ///< else tau is that of the pilot's temperatures
    double gamma2_standard_error = 0;         ///< of the average over the points
    double gamma2_least = 0, gamma2_most = 0; ///< over the points
    estimator::TimeLine time;
    estimator::LikelihoodCost cost;
    double optimal_variance = 0; ///< of the formula
    double variance = 0;         ///< not above largest_useful_variance
    Index optimal_particles = 0;
    Index particles = 0; ///< to be used: for `variance`, and with a measured one not above largest_useful_variance
    std::vector<MeasuredSize> measured; ///< by falling variance; holds `particles` and `optimal_particles`
};

struct TuningSettings {
    Index pilot_particles = 256;                    ///< of the population
    std::function<void(const std::string&)> report; ///< receives progress messages, on every rank
};

/// Collective; the same on every rank, and on any number of them but for times. InputError if the time of an estimate
/// does not grow with its particles, or if its variance stays out of reach.
Tuning tune_likelihood(const parallel::Communicator& ranks, TunableLikelihood& likelihood,
                       const algorithm::AnnealingPlan& plan, const TuningSettings& settings);

/// The tuning as text for people.
std::string describe(const Tuning& tuning, const std::vector<std::string>& parameter_names);

} // namespace pearlite::app
