#pragma once
/// Whether estimates of a likelihood are unbiased: the mean of exp(log estimate - log exact) must be 1.

#include "support/mean_error.hpp"

#include <cmath>
#include <vector>

namespace pearlite::models::testing {

/// (mean - 1) / standard error of exp(errors).
inline double unbiasedness_z(const std::vector<double>& log_errors) {
    double sum = 0, squares = 0;
    for (const double error : log_errors) {
        sum += std::exp(error);
        squares += std::exp(2 * error);
    }
    const auto n = static_cast<double>(log_errors.size());
    const double mean = sum / n, variance = (squares / n - mean * mean) / (n - 1);
    return (mean - 1) / std::sqrt(variance);
}

using testing_support::MeanError;

} // namespace pearlite::models::testing
