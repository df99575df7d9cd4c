#pragma once
/// Expectation propagation for Gaussian process classification with a probit link (Minka 2001; Rasmussen & Williams
/// 2006, sections 3.5 and 3.6): sites N(x_i; nu_i/T_i, 1/T_i) in place of Phi(y_i x_i), so that the posterior becomes
/// q(x) = N(mu, Sig), Sig = (K^-1 + diag T)^-1, mu = Sig nu.

#include "pearlite/core/types.hpp"

namespace pearlite::models {

struct ExpectationPropagation {
    Vector site_precisions; ///< T, each 0 or more
    Vector site_shifts;     ///< nu
    Vector mean;            ///< mu
    Matrix covariance;      ///< Sig
    double log_evidence = 0;
    /// Correction by Opper, Paquet & Winther (2013) to second order, cumulants 3 to 6, to be added to log_evidence.
    double correction = 0;
    Index sweeps = 0;
    bool has_converged = false; ///< log_evidence changed by less than 1e-8 in the last sweep
};

/// K: N x N, positive semidefinite; signs: y, N, each 1 or -1. Deterministic; O(N^3) a sweep. NumericalError if the
/// approximation breaks down.
ExpectationPropagation expectation_propagation(const Matrix& covariance, const Vector& signs, Index most_sweeps = 100);

/// Latent values x_* at other points, under q: means and variances, from which p(y_* = 1) = Phi(mean/sqrt(1 +
/// variance)).
struct LatentPredictions {
    Vector means, variances;
};
/// cross: N x points, the covariances of the training points with the others; variances: of each of the others.
LatentPredictions predict(const ExpectationPropagation& approximation, const Matrix& covariance, const Matrix& cross,
                          const Vector& variances);

} // namespace pearlite::models
