#pragma once
/// Estimates from weights on one rank, directly from their definitions: the reference for
/// estimator/evidence/importance.hpp.

#include "estimator/evidence/importance.hpp"

#include <span>

namespace pearlite::estimator {

/// Skewness of the mean weight, from the sample's third moment: skewness(w)/sqrt(M).
double skewness_of_mean(std::span<const double> log_weights);

/// Standard error of log((1/M) sum w) by the delta method: sqrt((sum w^2/(sum w)^2 - 1/M) M/(M-1)); M >= 2.
double delta_standard_error(std::span<const double> log_weights);

/// Bootstrap distribution of log((1/M) sum w): `replicates` resamples of the M weights with replacement, random numbers
/// addressed by (seed, bootstrap, replicate). A resample of zero weight alone gives log_zero.
std::vector<double> bootstrap_log_mean(std::span<const double> log_weights, std::uint64_t seed, int replicates);

ImportanceEstimate importance_estimate(std::span<const double> log_weights, std::uint64_t seed,
                                       int bootstrap_replicates = 1000, double min_ess = 5);

} // namespace pearlite::estimator
