#pragma once
/// Both sets of works as Bennett's equation sees them. Internal to the layer.

#include "pearlite/core/types.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::estimator::detail {

/// With L = log Z and q_j = P(reverse | W_j) = 1/(1 + (n_f/n_r) e^{L + W_j}), Bennett's equation is sum_j q_j = n_r
/// over all works: it does not ask which direction a work is of. A forward work of +inf has q = 0 and a reverse one of
/// -inf has q = 1, whatever L is; they are left out of `finite`.
struct WorkSamples {
    Vector finite;                       ///< W_j
    double n_forward = 0, n_reverse = 0; ///< all of them
    double n_infinite_forward = 0, n_infinite_reverse = 0;
    double smallest = 0, largest = 0; ///< of the finite works
    double log_odds() const;          ///< log(n_f/n_r)
    /// What sum q over the finite works must be.
    double target() const { return n_reverse - n_infinite_reverse; }
};

/// NumericalError for NaN, a forward -inf or a reverse +inf; ContractViolation if a set is empty.
WorkSamples work_samples(std::span<const double> forward, std::span<const double> reverse);

/// Sums of q_j, 1 - q_j and q_j (1 - q_j) over the finite works at L; each precise however small, down to underflow.
struct PosteriorSums {
    double q = 0;
    double not_q = 0;
    double q_not_q = 0;
};
PosteriorSums posterior_sums(const WorkSamples& works, double log_ratio);

/// The root L of Bennett's equation: -inf or +inf if no finite one exists (all forward, or all reverse works infinite).
double solve_bar(const WorkSamples& works);

} // namespace pearlite::estimator::detail
