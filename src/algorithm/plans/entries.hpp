#pragma once
/// The entries that the registry lists, each defined in the algorithm's own file.

#include "algorithm/plans/algorithm.hpp"

#include <memory>

namespace pearlite::algorithm {

std::shared_ptr<const Algorithm> annealed_importance_entry();
std::shared_ptr<const Algorithm> smc_entry();
std::shared_ptr<const Algorithm> nonequilibrium_entry();
std::shared_ptr<const Algorithm> parallel_tempering_entry();
std::shared_ptr<const Algorithm> importance_squared_entry();
std::shared_ptr<const Algorithm> pseudo_marginal_entry();
std::vector<std::shared_ptr<const Algorithm>> stochastic_approximation_entries();

} // namespace pearlite::algorithm
