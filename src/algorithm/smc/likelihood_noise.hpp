#pragma once
/// How much of an evidence's error comes from estimating the likelihood, and how much from annealing (Tran, Strickland,
/// Pitt & Kohn, section 3.3).

#include "algorithm/common/settings.hpp"
#include "parallel/communicator.hpp"
#include "path/schedule.hpp"
#include "pearlite/path/detail/density_path.hpp"
#include "population/generation.hpp"

#include <optional>
#include <vector>

namespace pearlite::algorithm {

/// tau = sum_t (a_t - a_{t-1})^2 of theorem 1.
double noise_factor(const path::Schedule& schedule);

/// Splits the relative variance of Z by theorem 1: M times it is (1 + c) exp(tau sigma^2) - 1, where c M^{-1} would be
/// left with exact likelihoods. sigma^2: the variance of the log estimate.
struct NoiseShares {
    double annealing = 0, likelihood = 0; ///< standard errors whose squares add up
};
NoiseShares noise_shares(double standard_error, double sigma2, double tau, Index n_particles);

/// The diagnostics of a run: sigma^2, tau, the factor exp(-tau sigma^2) that estimating costs in ESS, and the two
/// standard errors if the evidence has one.
std::vector<Diagnostic> noise_diagnostics(double sigma2, double tau, const std::optional<double>& standard_error,
                                          Index n_particles);

/// Where sigma^2 is above 3, a warning, and the weights' ESS leaves the verdict for a diagnostic of its own: particles
/// keep estimates that are far too high, and no weight shows it.
void judge_noise(double sigma2, Outcome& outcome);

/// Collective. sigma^2 at the final particles: the variance of `repeats` fresh estimates of each one's log likelihood,
/// averaged with the weights. +inf if an estimate is zero where it matters.
double likelihood_log_variance(const parallel::Communicator& ranks, const path::DensityPath& path,
                               const population::Generation& particles, std::uint64_t seed);

} // namespace pearlite::algorithm
