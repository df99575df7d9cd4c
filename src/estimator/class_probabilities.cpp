#include "estimator/class_probabilities.hpp"

#include "core/exact_sum.hpp"
#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

constexpr std::size_t n_bins = 10;

struct MeanAndError {
    double mean = 0, standard_error = 0;
};

MeanAndError mean_and_error(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = exact_sum(values) / n;
    ExactSum squares;
    for (const double value : values)
        squares.add((value - mean) * (value - mean));
    return {mean, n > 1 ? std::sqrt(squares.value() / (n * (n - 1))) : 0};
}

std::vector<CalibrationBin> calibration_of(std::span<const double> probabilities, std::span<const double> classes) {
    struct Sums {
        ExactSum probability;
        Index n = 0, positive = 0;
    };
    std::array<Sums, n_bins> sums;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const double p = classes[i] > 0 ? probabilities[i] : 1 - probabilities[i];
        auto& bin = sums[std::min(n_bins - 1, static_cast<std::size_t>(p * static_cast<double>(n_bins)))];
        bin.probability.add(p);
        ++bin.n;
        bin.positive += classes[i] > 0 ? 1 : 0;
    }
    std::vector<CalibrationBin> bins;
    for (std::size_t k = 0; k < n_bins; ++k)
        if (const auto n = static_cast<double>(sums[k].n); n > 0)
            bins.push_back({static_cast<double>(k) / n_bins, static_cast<double>(k + 1) / n_bins, sums[k].n,
                            sums[k].probability.value() / n, static_cast<double>(sums[k].positive) / n});
    return bins;
}

/// The mean over replicates but one; all of them if it is none.
std::vector<double> weighted_mean(const Matrix& of_replicates, std::span<const double> log_weights, Index left_out) {
    std::vector<double> weights;
    double log_max = log_zero, total = 0;
    for (std::size_t r = 0; r < log_weights.size(); ++r)
        log_max = std::max(log_max, static_cast<Index>(r) == left_out ? log_zero : log_weights[r]);
    for (std::size_t r = 0; r < log_weights.size(); ++r) {
        weights.push_back(static_cast<Index>(r) == left_out ? 0 : std::exp(log_weights[r] - log_max));
        total += weights.back();
    }
    std::vector<double> mean(at(of_replicates.rows()), 0.0);
    for (Index r = 0; r < of_replicates.cols(); ++r)
        for (Index k = 0; k < of_replicates.rows(); ++k)
            mean[at(k)] += weights[at(r)] * of_replicates(k, r);
    for (double& p : mean)
        p = std::min(1.0, p / total);
    return mean;
}

} // namespace

ClassScore class_score(std::span<const double> probabilities, std::span<const double> classes) {
    PEARLITE_EXPECTS(!classes.empty() && probabilities.size() == classes.size());
    std::vector<double> wrong, loss;
    for (const double p : probabilities) {
        wrong.push_back(p < 0.5 ? 1 : p > 0.5 ? 0 : 0.5);
        loss.push_back(-std::log(p));
    }
    const auto error_rate = mean_and_error(wrong), log_loss = mean_and_error(loss);
    return {static_cast<Index>(classes.size()),
            error_rate.mean,
            error_rate.standard_error,
            log_loss.mean,
            log_loss.standard_error,
            calibration_of(probabilities, classes)};
}

CombinedProbabilities combine_probabilities(const Matrix& of_replicates, std::span<const double> log_weights,
                                            std::span<const double> classes) {
    const Index n = of_replicates.cols();
    PEARLITE_EXPECTS(n >= 1 && log_weights.size() == at(n));
    CombinedProbabilities combined{weighted_mean(of_replicates, log_weights, -1)};
    std::vector<double> twice(log_weights.begin(), log_weights.end());
    for (double& log_weight : twice)
        log_weight *= 2;
    combined.effective_replicates = std::exp(2 * log_sum_exp(log_weights) - log_sum_exp(twice));
    if (n == 1)
        return combined;
    std::vector<double> error_rates, log_losses;
    for (Index r = 0; r < n; ++r) {
        const auto score = class_score(weighted_mean(of_replicates, log_weights, r), classes);
        error_rates.push_back(score.error_rate);
        log_losses.push_back(score.log_loss);
    }
    // The jackknife: (n - 1)^2 times the squared standard error of the mean of the scores that leave one out.
    const auto error_of = [&](const std::vector<double>& values) {
        return static_cast<double>(n - 1) * mean_and_error(values).standard_error;
    };
    combined.error_rate_error = error_of(error_rates);
    combined.log_loss_error = error_of(log_losses);
    return combined;
}

} // namespace pearlite::estimator
