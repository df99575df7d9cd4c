#pragma once
/// Estimates from independent weights (annealed importance sampling, Neal 2001): log of the mean weight, with the delta
/// method and the bootstrap.

#include "estimator/evidence/estimate.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "population/shards.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::estimator {

/// (sum w)^2 / sum w^2, in particles; 0 when every weight is zero.
double effective_sample_size(std::span<const double> log_weights);

/// Beyond this skewness of a mean weight the estimate and its error bar are strongly tied (a sample that misses the
/// large weights gives both too low), and intervals cover too little.
inline constexpr double largest_skewness = 0.5;

/// Weights of M independent trajectories give log Z_K/Z_0 with both errors: the delta method's,
/// sqrt((1/ESS - 1/M) M/(M-1)), and the bootstrap's (its
/// standard deviation, and the percentile interval). With fewer than `min_ess` effective trajectories the error bars
/// are withheld: the largest weight then decides the estimate and no spread can be read off the sample. So they are
/// with fewer than 50 where spreads_too_far().
struct ImportanceEstimate {
    Estimate delta;
    Estimate bootstrap;
    double ess = 0;
    double skewness_of_mean = 0;    ///< see above
    double variance_log_weight = 0; ///< Var[log w] (n - 1), the cost that optimised schedules minimise
    double normal_ess = 0; ///< n exp(-s^2), s^2 the mean square of log w above its mean: the ESS if log w is normal

    /// Reasons to doubt the error bar of `what`, such as "trajectories": an ESS below 20, a skewed mean weight, or a
    /// normal ESS below 100 while the skewness exceeds 0.1. Error bars of normal log weights of variance 3 and more
    /// cover too little, and the samples that lack the largest weights look best; the spread of the log weights does
    /// not depend on the largest ones.
    std::vector<std::string> doubts(const std::string& what) const;
    /// Whether the ESS is below 50, and that of normal log weights of this spread would be below 1. The largest weights
    /// are then missing from the sample, and an interval means nothing.
    bool spreads_too_far() const;
};

/// Estimates from weights that the ranks hold in shards. All are collective, and every rank gets the result. NaN and
/// +inf among the log weights are NumericalErrors. Particle i occurs in the bootstrap's replicates as often as
/// draw_copies (bootstrap.hpp) draws at the address (seed, bootstrap, slot i); the mean of a replicate is that over its
/// particles. Weights are integers in units of 2^-(59 - log2 M) of the largest. Replicates without any particle, which
/// can occur for a handful of particles, are left out. Skewness of the mean weight, from the sample's third moment:
/// skewness(w)/sqrt(M).
double skewness_of_mean(const population::Shards& log_weights);
std::vector<double> bootstrap_log_mean(const population::Shards& log_weights, const random::Seed& seed, int replicates);
ImportanceEstimate importance_estimate(const population::Shards& log_weights, const random::Seed& seed,
                                       int bootstrap_replicates = 1000, double min_ess = 5);

} // namespace pearlite::estimator
