#pragma once
/// How many particles an estimated likelihood should have: few make noisy weights, many cost time (Tran, Strickland,
/// Pitt & Kohn, sections 3.3 and 3.4).

#include "pearlite/core/types.hpp"

#include <span>

namespace pearlite::estimator {

/// tau = sum_t (a_t - a_{t-1})^2 of theorem 1.
double noise_factor(std::span<const double> inverse_temperatures);

/// Splits the relative variance of Z by theorem 1: M times it is (1 + c) exp(tau sigma^2) - 1, where c M^{-1} would be
/// left with exact likelihoods. sigma^2: the variance of the log estimate.
struct NoiseShares {
    double annealing = 0, likelihood = 0; ///< standard errors whose squares add up
};
NoiseShares noise_shares(double standard_error, double sigma2, double tau, Index n_particles);

/// The cost of estimates. An estimate from N particles has log variance gamma2 / N and takes seconds_base +
/// seconds_per_particle N; noise of variance s2 multiplies the ESS by exp(-schedule_tau s2) (theorem 1).
struct LikelihoodCost {
    double gamma2 = 0;               ///< > 0
    double seconds_base = 0;         ///< tau_0 >= 0
    double seconds_per_particle = 0; ///< tau_1 > 0
    double schedule_tau = 0;         ///< tau = sum (a_t - a_{t-1})^2 > 0

    /// The time for a given precision, up to a factor that does not depend on the variance s2 > 0 of the log
    /// estimates: exp(tau s2) (gamma2 tau_1 / s2 + tau_0).
    double at(double variance) const;
    /// The s2 at which that time is least: 2 g / (tau g + sqrt(tau^2 g^2 + 4 tau tau_0 g)), g = gamma2 tau_1.
    double optimal_variance() const;
    /// gamma2 / s2, not rounded.
    double particles(double variance) const { return gamma2 / variance; }
};

/// Above this variance a pseudo-marginal chain at a = 1 hardly accepts (0.22 of the acceptance with the exact
/// likelihood, 1 in 40 at a variance of 10), which theorem 1, assuming perfect moves, does not see.
inline constexpr double largest_useful_variance = 3;

/// seconds = base + per_particle n by least squares of relative errors, neither negative.
struct TimeLine {
    double base = 0, per_particle = 0;
    double largest_relative_residual = 0;

    double at(double n) const { return base + per_particle * n; }
};
/// Needs at least two different n, and positive numbers.
TimeLine fit_time(std::span<const double> particles, std::span<const double> seconds);

} // namespace pearlite::estimator
