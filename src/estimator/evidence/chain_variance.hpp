#pragma once
/// The variance of means over Markov chains, by their autocovariances: of the evidence and of posterior means of
/// waste-free SMC (Dau & Chopin 2022, section 4).

#include "parallel/communicator.hpp"
#include "pearlite/core/types.hpp"

namespace pearlite::estimator {

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
