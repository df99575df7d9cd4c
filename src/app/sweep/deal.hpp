#pragma once
/// Ranks dealt to the runs of a sweep: groups of ranks, each of which takes one run after another.

#include "pearlite/core/types.hpp"

#include <vector>

namespace pearlite::app {

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
