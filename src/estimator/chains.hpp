#pragma once
/// Diagnostics of Markov chains: convergence across chains, effective sample size, posterior summaries (Vehtari,
/// Gelman, Simpson, Carpenter & Bürkner 2021, "Rank-normalization, folding, and localization: an improved R-hat").

#include "estimator/posterior.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/core/types.hpp"

#include <string>
#include <vector>

namespace pearlite::estimator {

/// The value of a diagnostic that is not defined.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// Means, standard deviations and quantiles of every parameter (one n x C matrix each), mcse = sd/sqrt(ess).
struct ChainSummary {
    PosteriorSummary posterior;
    double r_hat = 0, bulk_ess = 0, tail_ess = 0;
};

/// Collective. Split R-hat: the larger of two, by the normal scores of the ranks of the draws and of the ranks of their
/// distances from the median. ESS of split chains, by Geyer's initial monotone sequence, at most n C log10(n C): bulk,
/// of the normal scores; tail, the smaller one of the indicators of lying below the 5 % and the 95 % quantile. NaN if a
/// draw is not finite, or if all are equal. For chains that live with their owners, on every rank and the same on any
/// number of ranks: each matrix is n x the chains here, n the same on all ranks (a rank may have no chain, n x 0).
/// Ranks, medians and quantiles are exactly those of all draws; the owner of a chain computes its sums, which are added
/// exactly.
std::vector<ChainSummary> summarise_chains(const parallel::Communicator& ranks, const std::vector<std::string>& names,
                                           const std::vector<Matrix>& draws);

} // namespace pearlite::estimator
