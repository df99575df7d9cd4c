#pragma once
/// Both sets of works in the form that Bennett's equation needs. Internal to the layer.

#include "pearlite/core/types.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace pearlite::estimator::detail {

/// With L = log Z and q_j = P(reverse | W_j) = 1/(1 + (n_f/n_r) e^{L + W_j}), Bennett's equation is sum_j q_j = n_r
/// over all works, whatever a work's direction. A forward work of +inf has q = 0 and a reverse work of -inf has q = 1,
/// whatever L is; both are left out of `finite`.
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

/// Sums of q_j, 1 - q_j and q_j (1 - q_j) over the finite works at L; each precise however small, down to underflow.
struct PosteriorSums {
    double q = 0;
    double not_q = 0;
    double q_not_q = 0;
};
/// Logarithms of sum q and of sum 1 - q, which would underflow far from all works.
struct LogSums {
    double log_q = 0, log_not_q = 0;
};
PosteriorSums posterior_sums(const WorkSamples& works, double log_ratio);

/// The root L of Bennett's equation: -inf or +inf if no finite one exists (all forward, or all reverse works infinite).
double solve_bar(const WorkSamples& works);

/// Bennett's equation in the form that its solver needs: the values that sum q and sum 1 - q over the finite works must
/// have, the smallest and largest work, and log(n_f/n_r).
struct BennettEquation {
    double target = 0, rest = 0;
    double smallest = 0, largest = 0;
    double log_odds = 0;
    /// The sums at L, and the logarithms of sum q and sum 1 - q where these may underflow.
    std::function<PosteriorSums(double log_ratio)> sums;
    std::function<LogSums(double log_ratio)> log_sums;
};
double solve(const BennettEquation& equation);

} // namespace pearlite::estimator::detail
