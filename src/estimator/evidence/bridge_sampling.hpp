#pragma once
/// Bridge sampling (Meng & Wong 1996): the integral Z of an unnormalised density f from weighted particles of f, which
/// come in families, and draws of a distribution q whose density is known.
///
///     l = log f - log q;  h(l) = 1/(1 + e^(r - l)/s),  s = n_p/n_q
///     log Z is the r with  mean_q h = s mean_p (1 - h)
///     Var[log Z] = Var_q[h]/(n_q (mean_q h)^2) + sum_e (sum_{i in e} W_i ((1 - h_i)/mean_p (1 - h) - 1))^2
///
/// The first term is that of independent draws, the second that of families e. Neither h nor 1 - h exceeds 1: no draw
/// outweighs the others, however heavy the tails. n_p is the number of effective families; a wrong one costs
/// precision, never consistency.

#include "population/families.hpp"
#include "population/shards.hpp"

#include <optional>
#include <span>

namespace pearlite::estimator {

/// One side's l of its own points, with log weights: log_zero where a particle or draw belongs to neither.
struct BridgedSample {
    std::span<const double> log_ratios;  ///< l
    std::span<const double> log_weights; ///< not normalised
};

struct BridgeEstimate {
    double log_integral = 0;                                ///< log Z
    double variance_of_draws = 0, variance_of_families = 0; ///< of log Z
    double effective_draws = 0, effective_families = 0;     ///< behind mean_q h and mean_p (1 - h)
    double n_draws = 0, n_families = 0;                     ///< n_q and n_p

    double variance() const { return variance_of_draws + variance_of_families; }
};

/// Collective, with the same bits on any number of ranks. Particles and draws lie in one layout; `families` are the
/// particles'. Nothing where one side has no weight, or where the two do not overlap: the equation has no root
/// within 200 steps from `start`.
std::optional<BridgeEstimate> bridge_sampling(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                              const BridgedSample& particles, const population::Families& families,
                                              const BridgedSample& draws, double start);

} // namespace pearlite::estimator
