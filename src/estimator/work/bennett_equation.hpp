#pragma once
/// Bennett's equation and its solver. Internal to the layer.

#include <functional>

namespace pearlite::estimator::detail {

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
/// With L = log Z and q_j = P(reverse | W_j) = 1/(1 + (n_f/n_r) e^{L + W_j}), Bennett's equation is sum_j q_j = n_r
/// over all works, whatever a work's direction; here in the form that its solver needs: the values that sum q and sum 1
/// - q over the finite works must have, the smallest and largest work, and log(n_f/n_r).
struct BennettEquation {
    double target = 0, rest = 0;
    double smallest = 0, largest = 0;
    double log_odds = 0;
    /// The sums at L, and the logarithms of sum q and sum 1 - q where these may underflow.
    std::function<PosteriorSums(double log_ratio)> sums;
    std::function<LogSums(double log_ratio)> log_sums;
};
/// The root L: -inf or +inf if no finite one exists (all forward, or all reverse works infinite).
double solve(const BennettEquation& equation);

} // namespace pearlite::estimator::detail
