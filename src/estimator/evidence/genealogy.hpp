#pragma once
/// Error bars of a particle sampler's evidence from one run (by its genealogy) and from independent batches.

#include "estimator/evidence/estimate.hpp"
#include "population/families.hpp"

#include <span>

namespace pearlite::estimator {

/// With fewer surviving Eves than this a single run carries no error bar: the families are too few to show a spread.
inline constexpr int min_eves = 20;
/// The like of effective families, as of effective trajectories (importance.hpp), and the number below which an error
/// bar is doubtful.
inline constexpr double min_effective_families = 5, good_effective_families = 20;

/// 1/sum_e S_e^2, the number of families of equal weight with the same spread.
double effective_families(const population::FamilyWeights& families);

/// Skewness of Z from one run of M particles, from the third moment of the families' shares, Eves without descendants
/// included: (sum S^3 - 3 sum S^2/M + 2/M^2) / (sum S^2 - 1/M)^(3/2).
double skewness_of_families(const population::FamilyWeights& families, double n_particles);

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
/// lost in its noise, Chan-Lai (a bound) otherwise; with fewer than min_eves Eves, or min_effective_families, no error
/// and a note that says so. Few effective families and a skewed Z raise doubts.
Estimate single_run_estimate(double log_ratio, const population::FamilyWeights& families, double n_particles,
                             int n_resamplings, bool multinomial);

/// R >= 2 independent estimates of log Z: log mean_r Z_r, with variance sum_r (Z_r - Z)^2 / (R) / Z^2, and
/// Student's interval of R - 1 degrees of freedom. The effective number of batches is (sum Z)^2/sum Z^2: below half of
/// R the error bar is doubtful, below 3 (for R < 5, below (R + 1)/2) withheld, both with the name of the largest batch.
Estimate batch_estimate(std::span<const double> log_ratios);
/// R >= 2 independent estimates of log Z itself: their mean, with variance sum_r (x_r - mean)^2 / (R) and the
/// same interval.
Estimate batch_mean(const std::string& estimator, std::span<const double> values);

} // namespace pearlite::estimator
