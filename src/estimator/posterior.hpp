#pragma once
/// Weighted posterior summaries, and summaries of predictions.

#include "population/families.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::estimator {

struct PosteriorSummary {
    std::string name;
    double mean = 0;
    double sd = 0;
    double mcse = 0; ///< standard error of the mean; NaN where a run does not know it, and so is
    double ess = 0;  ///< sd^2 / mcse^2 capped at the number of draws
    double quantile_025 = 0, quantile_250 = 0, quantile_500 = 0, quantile_750 = 0, quantile_975 = 0;
};

/// The p-quantile of weighted values: the smallest value at which the cumulated normalised weight reaches p.
double weighted_quantile(std::span<const double> values, std::span<const double> log_weights, double p);

/// Summaries of each row of `draws` (d x M) under the log weights (M). The Monte Carlo error comes from the families of
/// common ancestors `eves` (M entries): mcse^2 = sum_e (sum_{i in e} W_i (phi_i - mean))^2 / (1 - sum_e S_e^2), S_e a
/// family's weight, which counts a family as one draw; NaN with fewer than min_eves families (genealogy.hpp).
std::vector<PosteriorSummary> summarise_posterior(const std::vector<std::string>& names, const Matrix& draws,
                                                  std::span<const double> log_weights,
                                                  std::span<const std::int64_t> eves);

/// Collective. The same for draws that the ranks hold in shards, on every rank and the same on any number of ranks:
/// `draws` (d x local particles), their log weights and families. Moments are exact sums; quantiles are those of the
/// weights as integers (population/selection.hpp), hence order statistics of all draws.
std::vector<PosteriorSummary>
summarise_posterior(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                    const std::vector<std::string>& names, const Eigen::Ref<const Matrix>& draws,
                    std::span<const double> log_weights, const population::Families& families);

/// Collective. The same for draws of equal weight that are states of chains, chain_length >= 2 of each in a row: the
/// Monte Carlo error is that of chains.hpp, NaN for chains too short for one.
std::vector<PosteriorSummary> summarise_posterior(const parallel::Communicator& ranks,
                                                  const parallel::BlockLayout& layout,
                                                  const std::vector<std::string>& names,
                                                  const Eigen::Ref<const Matrix>& draws, Index chain_length);

/// R independent batches combined: means and second moments weighted by Z_r, mcse^2 = sum_r (W_r (mean_r - mean))^2
/// R/(R-1).
std::vector<PosteriorSummary> combine_batches(const std::vector<std::vector<PosteriorSummary>>& batches,
                                              std::span<const double> log_ratios);

// Summaries of draws from predictive distributions, and their comparison with the observations.

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
