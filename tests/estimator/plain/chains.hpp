#pragma once
/// Diagnostics of chains on one rank, directly from their definitions: the reference for estimator/chains.hpp.

#include "estimator/chains.hpp"

namespace pearlite::estimator {

/// `draws` are of one quantity: n x C, a chain per column, n >= 4. NaN if a draw is not finite, or if all are equal.

/// The potential scale reduction of chains split in halves: the larger of two, by the normal scores of the ranks of the
/// draws and of the ranks of their distances from the median.
double split_r_hat(const Matrix& draws);
/// Effective sample size of the mean of split chains, by Geyer's initial monotone sequence; at most n C log10(n C).
double chain_ess(const Matrix& draws);
/// chain_ess of the normal scores of the ranks: of use if a mean does not exist.
double bulk_ess(const Matrix& draws);
/// The smaller ESS of the indicators of lying below the 5 % and the 95 % quantile.
double tail_ess(const Matrix& draws);

std::vector<ChainSummary> summarise_chains(const std::vector<std::string>& names, const std::vector<Matrix>& draws);

} // namespace pearlite::estimator
