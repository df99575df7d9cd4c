#pragma once
/// The common types of samplers: their settings, their progress reports and their outcome.

#include "algorithm/common/trace.hpp"
#include "estimator/evidence/estimate.hpp"
#include "population/resampling.hpp"
#include "population/work_balance.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// A population's size, its cut into blocks and its seed.
struct PopulationSettings {
    Index particles = 0;
    Index block = 16;
    random::Seed seed = {};
    Index most_prior_draws = 0; ///< prior_stage.hpp
};

/// The progress of a run and its cost so far. Cheap and local: the same on every rank.
struct Progress {
    Index step = 0;
    Index steps = 0; ///< 0 if not known beforehand (adaptive schedules)
    double inverse_temperature = 0;
    double ess = 0;
    double log_ratio = 0;
    std::optional<double> best_energy = {}; ///< of a search, which has a temperature instead of the three above
    double temperature = 0;
    std::string warning = {}; ///< on the present stage, known from its start
    std::string stage = {};   ///< of Markov chains and of training, in words, instead of all of these
    Index iterations_per_step = 1;
    Index steps_at_once = 1; ///< the increase of `step` in a step of the run
    double inverse_temperature_end = 1;
    Index variables = 0; ///< to which a density grows, the inverse temperature being the share that it has reached

    bool in_pilot = false;
    Index stages_before = 0; ///< the present one, such as a bridge's fit, a pilot or a round; each counts its own steps
    Index updates_per_step = 0;                  ///< particle moves of one step, on all ranks
    std::optional<Index> likelihoods = {};       ///< computed so far; nothing if the sampler does not count them
    std::optional<Index> pilot_likelihoods = {}; ///< those of a pilot, if there was one
    /// The cost of the ranks' shares of the work in this session; nothing if it is not measured.
    std::optional<population::WorkAccount> work = {};
};

/// log Z/Z_0 along the part of the path that a run has covered.
struct LogRatioSoFar {
    double value = 0;
    std::optional<double> standard_error = {}; ///< nothing where it cannot be estimated yet
};

/// A number for the diagnostics of a summary, with its standard error if it has one.
struct Diagnostic {
    std::string name;
    double value = 0;
    std::optional<double> standard_error;
};

/// An array for the results file, under a path of groups ("work/forward").
struct NamedArray {
    std::string path;
    std::vector<double> values;
};

/// Log weights of n independent trajectories from the start of the path to its end.
struct LogWeightMoments {
    double n = 0, mean = 0, variance = 0; ///< variance with n - 1
};

/// The results of a finished sampler. Valid on rank 0; elsewhere estimates may be empty.
struct Outcome {
    std::vector<estimator::Estimate> log_ratio; ///< the first is the headline
    double ess = 0;                             ///< of the final weights; 0 where there is no such number
    std::vector<std::string> warnings;
    std::string verdict;           ///< in words; empty: error bar and warnings say enough
    bool has_no_error_bar = false; ///< whatever is found besides log_ratio
    std::vector<Diagnostic> diagnostics;
    std::vector<NamedArray> arrays;
    std::vector<LogWeightMoments> log_weights; ///< of each replicate; empty where particles are not independent
};

} // namespace pearlite::algorithm
