// The algorithms of the package, one line each: src/algorithm/<folder>/entry.cpp defines <name>_entry(), or
// <name>_entries() of a family. Lists show them in this order.
PEARLITE_ALGORITHM(annealed_importance)
PEARLITE_ALGORITHM(smc)
PEARLITE_ALGORITHM(nonequilibrium)
PEARLITE_ALGORITHM(parallel_tempering)
PEARLITE_ALGORITHM(resample_move)
PEARLITE_ALGORITHM(likelihood_constrained)
PEARLITE_ALGORITHM(importance_squared)
PEARLITE_ALGORITHM(pseudo_marginal)
PEARLITE_ALGORITHM_FAMILY(search)
PEARLITE_ALGORITHM(contrastive_divergence)
