#pragma once
/// The parts of an evidence's error that come from estimating the likelihood and from annealing (Tran, Strickland, Pitt
/// & Kohn, section 3.3).

#include "algorithm/common/settings.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <optional>
#include <vector>

namespace pearlite::algorithm {

/// The diagnostics of a run: sigma^2, the variance of the log estimate, tau of theorem 1, the factor exp(-tau sigma^2)
/// that estimating costs in ESS, and the two standard errors if the evidence has one.
std::vector<Diagnostic> noise_diagnostics(double sigma2, double tau, const std::optional<double>& standard_error,
                                          Index n_particles);

/// Where sigma^2 is above 3, adds a warning and moves the weights' ESS from the verdict to a diagnostic: particles keep
/// estimates that are far too high, and no weight shows it.
void judge_noise(double sigma2, Outcome& outcome);

/// Collective. sigma^2 at the final particles: the variance of `repeats` fresh estimates of each one's log likelihood,
/// averaged with the weights. +inf if an estimate is zero where it matters.
double likelihood_log_variance(const parallel::Communicator& ranks, const path::DensityPath& path,
                               const population::Generation& particles, const random::Seed& seed);

} // namespace pearlite::algorithm
