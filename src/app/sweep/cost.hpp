#pragma once
/// Costs of runs: measured, fitted to a budget, and the ranks that runs get by them.

#include "app/sweep/journal.hpp"
#include "app/sweep/sweep.hpp"

#include <map>
#include <string>
#include <vector>

namespace pearlite::app {

/// The assignment "algorithm.iterations=5000" with the largest value of the key with which the predicted updates of a
/// run of this setting stay within the budget. InputError if the updates are not known beforehand, do not depend on the
/// key, or are more than the budget with the least value.
std::string fit_to_budget(const Catalogue& models, const io::SweepGrid& grid, Index setting,
                          const SweepSettings& settings);

/// Seconds per update of the run of a configuration on this rank alone, and of the whole run, measured by its first
/// steps: as many as take `enough` seconds, or all if there are fewer.
struct MeasuredCost {
    double per_update = 0, run = 0;
};
MeasuredCost measure_cost(const Catalogue& models, const io::Configuration& configuration, double enough = 0.1);

/// Collective. Seconds on one rank of a run of each setting. Runs that have ended (known to the root) give the cost of
/// their setting. For other settings the first steps of one run are measured, a setting on each rank, if a rank can
/// hold the run and updates do not predict the costs. The remaining costs follow from updates, at the rate of the
/// others.
std::vector<double> costs_of_settings(const parallel::Communicator& ranks, const Catalogue& models, const Sweep& sweep,
                                      const std::map<Index, EndedRun>& ended, const std::vector<Index>& open);

// Ranks dealt to the runs of a sweep: groups of ranks, each of which takes one run after another.

/// A run to deal: its time on one rank in any unit, and the number of ranks that have work in it.
struct RunCost {
    double seconds = 1;
    Index useful_ranks = 1;
};

/// The sizes of the groups, largest first. They minimise the predicted time until the last run has ended, if groups
/// take the runs longest first, each as soon as it is free, and s ranks do a run in 1 / s^0.85 of its time. Candidates
/// are groups of nearly equal sizes, and, where runs are no more than ranks, a group for each run, the larger the
/// longer the run. The number of groups may be less than `ranks`; sizes sum to `ranks`.
std::vector<int> deal_ranks(int ranks, std::vector<RunCost> runs);

/// The time until the last run has ended, for groups of these sizes.
double predicted_makespan(const std::vector<int>& sizes, std::vector<RunCost> runs);

} // namespace pearlite::app
