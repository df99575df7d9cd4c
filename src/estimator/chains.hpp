#pragma once
/// Diagnostics of Markov chains: the variance of their means, convergence across chains, effective sample size,
/// posterior summaries (Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, "Rank-normalization, folding, and
/// localization: an improved R-hat").

#include "estimator/posterior.hpp"

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

// The variance of means over Markov chains, by their autocovariances: of the evidence and of posterior means of
// waste-free SMC (Dau & Chopin 2022, section 4).

/// An error bar from chains of P states counts if P is at least this number of autocorrelation times.
inline constexpr double min_autocorrelation_times = 10;

/// The variance of a quantity along stationary chains.
struct ChainVariance {
    double of_a_state = 0; ///< c_0
    double long_run = 0;   ///< s^2 = c_0 + 2 sum_{k>=1} c_k: the variance of a mean over N states is s^2/N

    /// The autocorrelation time s^2/c_0, in states; 1 if the quantity does not vary.
    double tau() const { return of_a_state > 0 ? long_run / of_a_state : 1; }
};

/// Estimates it from M chains of P >= 2 states each (P x M, a chain per column). c_k is the mean of (x_i - m)(x_{i+k} -
/// m) over all pairs of states that are k apart in a chain. m is the mean of all states, so that chains which differ in
/// their means are correlated at all lags. The sum is Geyer's initial monotone sequence (1992): pairs c_{2j} + c_{2j+1}
/// up to the first that is not positive, each at most the one before. For antithetic chains tau is at least 1/log10(M
/// P). The cost is M P times the number of lags, a few tau.
ChainVariance chain_variance(const Eigen::Ref<const Matrix>& chains);

/// Collective. The same for chains that live with their owners, on every rank and the same on any number of ranks:
/// P x the chains here, P the same on all ranks (a rank may have none).
ChainVariance chain_variance(const parallel::Communicator& ranks, const Eigen::Ref<const Matrix>& chains);

} // namespace pearlite::estimator
