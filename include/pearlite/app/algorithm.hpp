#pragma once
/// The algorithms that a configuration can name.

#include <string>
#include <vector>

namespace pearlite::app {

enum class Algorithm {
    annealed_importance,
    smc,
    nonequilibrium,
    parallel_tempering,
    // at the posterior itself, without a path
    importance_squared,
    pseudo_marginal,
    // searches for low energies
    sa,
    vfsa,
    saa,
    psaa,
    pisaa,
    asamc,
    aesamc
};

/// Names of the algorithms in configurations, in the order of the enumeration.
const std::vector<std::string>& algorithm_names();
std::string algorithm_name(Algorithm algorithm);
/// One line for lists.
std::string algorithm_description(Algorithm algorithm);

/// True for those that work at the posterior itself, without a path.
bool is_at_posterior(Algorithm algorithm);
/// True for the family of stochastic approximation annealing.
bool is_search(Algorithm algorithm);

} // namespace pearlite::app
