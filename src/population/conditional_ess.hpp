#pragma once
/// The conditional ESS of several steps at once.

#include "population/weights.hpp"

namespace pearlite::population {

/// Collective: two reductions. conditional_ess() of each of the steps, whose increments are as long as the log weights.
std::vector<double> conditional_ess_of_steps(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                             std::span<const double> log_weights,
                                             const std::vector<std::vector<double>>& log_increments,
                                             const std::exception_ptr& failure);

} // namespace pearlite::population
