#pragma once
/// Error bars of a particle sampler's evidence from one run (by its genealogy) and from independent batches.

#include "estimator/evidence/estimate.hpp"
#include "population/families.hpp"

#include <span>

namespace pearlite::estimator {

/// With fewer surviving Eves than this a single run carries no error bar: the families are too few to show a spread.
inline constexpr int min_eves = 20;

/// Relative variance of Z from one run with multinomial resampling (Lee & Whiteley 2018, for the M particles of the
/// last weighting): 1 - (M/(M-1))^(r+1) (1 - sum_e S_e^2), S_e the summed final normalised weight of Eve e's
/// descendants, r the number of resamplings that happened. Can be negative by chance.
double lee_whiteley_variance(const population::FamilyWeights& families, double n_particles, int n_resamplings);

/// Standard error of lee_whiteley_variance itself, about: sqrt(sum_e S_e^4)/2. (Families of exponentially distributed
/// size give 0.41, measured runs 0.45 to 0.5, times the root.) After many resamplings it exceeds the variance.
double lee_whiteley_noise(const population::FamilyWeights& families);

/// The largest noise, relative to the variance, at which the Lee-Whiteley variance counts: errors in units of its root
/// then spread by at most some 15 % more than they should.
inline constexpr double max_lee_whiteley_noise = 0.4;

/// sum_e S_e^2 - 1/M (Chan & Lai 2013): for any resampling; conservative.
double chan_lai_variance(const population::FamilyWeights& families, double n_particles);

/// The evidence of one run, log_ratio, with the error that its resampling allows: Lee-Whiteley if `multinomial` and not
/// lost in its noise, Chan-Lai (labelled conservative) otherwise; with fewer than min_eves Eves no error and a note
/// that says so.
Estimate single_run_estimate(double log_ratio, const population::FamilyWeights& families, double n_particles,
                             int n_resamplings, bool multinomial);

/// R >= 2 independent estimates of log Z: log mean_r Z_r, with variance sum_r (Z_r - Z)^2 / (R) / Z^2, and
/// Student's interval of R - 1 degrees of freedom.
Estimate batch_estimate(std::span<const double> log_ratios);
/// R >= 2 independent estimates of log Z itself: their mean, with variance sum_r (x_r - mean)^2 / (R) and the
/// same interval.
Estimate batch_mean(const std::string& estimator, std::span<const double> values);

} // namespace pearlite::estimator
