#pragma once
/// How well predicted probabilities of two classes agree with the classes that were observed.

#include "pearlite/core/types.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::estimator {

/// Observations whose probability of class 1 lies in [low, high); at 1 in the last bin.
struct CalibrationBin {
    double low = 0, high = 0;
    Index n = 0;                 ///< more than none
    double mean_probability = 0; ///< that was predicted for class 1
    double frequency = 0;        ///< of class 1
};

/// Standard errors are those that other observations of the same kind would make.
struct ClassScore {
    Index n = 0;
    double error_rate = 0; ///< observations whose class had less than half of the probability; half of one for half
    double error_rate_standard_error = 0;
    double log_loss = 0; ///< mean of -log p of the classes observed, in nats
    double log_loss_standard_error = 0;
    std::vector<CalibrationBin> calibration; ///< ten bins at most, those without observations left out
};

/// probabilities: of the class observed, each; classes: 1 or -1, as many, at least one.
ClassScore class_score(std::span<const double> probabilities, std::span<const double> classes);

/// Probabilities from several independent populations, each counting in proportion to its estimate of Z: by the
/// unnormalised mean, which is unbiased where Z is, and not by the mean of ratios, whose bias more replicates would not
/// remove.
struct CombinedProbabilities {
    std::vector<double> probabilities;
    double effective_replicates = 1; ///< (sum a)^2/sum a^2 of these weights a
    /// Of the scores of the combination, by the jackknife over replicates; with at least two.
    std::optional<double> error_rate_error = {}, log_loss_error = {};
};

/// of_replicates: observations x replicates; log_weights: log Z of each, not all log_zero.
CombinedProbabilities combine_probabilities(const Matrix& of_replicates, std::span<const double> log_weights,
                                            std::span<const double> classes);

} // namespace pearlite::estimator
