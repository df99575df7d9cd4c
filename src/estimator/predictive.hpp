#pragma once
/// Summaries of draws from predictive distributions, and their comparison with the observations.

#include "pearlite/core/types.hpp"

#include <span>
#include <vector>

namespace pearlite::estimator {

/// The probabilities of the quantiles in a summary: the ends of the 50, 90 and 95 % intervals, and the median.
inline constexpr double predictive_levels[] = {0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975};

struct PredictiveSummary {
    std::vector<double> mean; ///< n
    Matrix quantiles;         ///< levels x n
};

/// Summarises n quantities from S >= 1 equally likely draws of each: column j of `draws` (S x n) has those of j.
PredictiveSummary summarise_predictive(const Matrix& draws);

/// F(y_j) of each observation under its predictive distribution: the share of draws below it, and half of those equal
/// to it. Uniform (but for ties) if the predictions are right (Dawid 1984; Rosenblatt 1952).
std::vector<double> predictive_ranks(const Matrix& draws, std::span<const double> observed);

/// The share of ranks within the central interval of a probability.
double central_coverage(std::span<const double> ranks, double probability);

} // namespace pearlite::estimator
