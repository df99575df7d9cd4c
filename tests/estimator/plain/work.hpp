#pragma once
/// Estimates from works on one rank, directly from their definitions: the reference for estimator/work/work.hpp. The
/// bootstrap resamples works one by one.

#include "estimator/work/sharded_works.hpp"
#include "estimator/work/work.hpp"
#include "pearlite/core/types.hpp"

#include <cstdint>
#include <span>

namespace pearlite::estimator {

Estimate jarzynski_forward(std::span<const double> forward);
Estimate jarzynski_reverse(std::span<const double> reverse);
WorkBounds work_bounds(std::span<const double> forward, std::span<const double> reverse);
Estimate cumulant_forward(std::span<const double> forward);
Estimate cumulant_reverse(std::span<const double> reverse);
Estimate cumulant_both(std::span<const double> forward, std::span<const double> reverse);
Estimate bar(std::span<const double> forward, std::span<const double> reverse);
Estimate bar_bootstrap(std::span<const double> forward, std::span<const double> reverse, std::uint64_t seed,
                       int replicates);
HistogramEstimate histogram(std::span<const double> forward, std::span<const double> reverse, std::uint64_t seed,
                            int draws = 2000);
WorkOverlap work_overlap(std::span<const double> forward, std::span<const double> reverse);
CrooksCheck crooks_check(std::span<const double> forward, std::span<const double> reverse);

namespace detail {

/// With L = log Z and q_j = P(reverse | W_j) = 1/(1 + (n_f/n_r) e^{L + W_j}), Bennett's equation is sum_j q_j = n_r
/// over the works of both directions. A forward work of +inf has q = 0 and a reverse work of -inf has q = 1 for any L;
/// both are left out of `finite`.
struct WorkSamples {
    Vector finite;                       ///< W_j
    double n_forward = 0, n_reverse = 0; ///< all of them
    double n_infinite_forward = 0, n_infinite_reverse = 0;
    double smallest = 0, largest = 0; ///< of the finite works
    double log_odds() const;          ///< log(n_f/n_r)
    /// The value that sum q over the finite works must have.
    double target() const { return n_reverse - n_infinite_reverse; }
};

/// NumericalError for NaN, a forward -inf or a reverse +inf; ContractViolation if a set is empty.
WorkSamples work_samples(std::span<const double> forward, std::span<const double> reverse);

PosteriorSums posterior_sums(const WorkSamples& works, double log_ratio);

/// The root L of Bennett's equation: -inf or +inf if no finite one exists (all forward, or all reverse works infinite).
double solve_bar(const WorkSamples& works);

} // namespace detail

} // namespace pearlite::estimator
