#pragma once
/// What a posterior of stochastic volatility says of the volatility itself: day by day, and one step ahead.

#include "pearlite/models/stochastic_volatility.hpp"

#include <span>
#include <vector>

namespace pearlite::models {

struct VolatilitySummarySettings {
    Index draws = 200;      ///< of the parameters, from the weighted points
    Index particles = 1000; ///< of the filter of each
    Index samples = 20;     ///< kept of each filter and time for quantiles
    std::vector<double> probabilities{0.05, 0.5, 0.95};
};

/// Volatility is exp(h_t/2): the standard deviation of a return with normal errors, the scale of one with Student-t
/// errors. T returns, p probabilities.
struct VolatilitySummary {
    std::vector<double> mean;             ///< T: of the volatility at t given the returns up to t
    Matrix quantiles;                     ///< p x T: its quantiles
    double next_mean = 0;                 ///< of the volatility at T + 1 given all returns
    std::vector<double> next_quantiles;   ///< p
    std::vector<double> return_quantiles; ///< p: of the next return
};

/// Draws parameters from the points (d x K, unconstrained, with weights of any sum) systematically and filters the
/// returns with each. At every time the parameters are those given all returns, so the mixture over them is, but for
/// the last time, no prediction. A pure function of its arguments. ContractViolation for weights that are not K, or
/// negative, or all zero, or counts below 1; NumericalError if every draw has likelihood 0.
VolatilitySummary summarise_volatility(const StochasticVolatility& density, const Matrix& points,
                                       std::span<const double> weights, const VolatilitySummarySettings& settings,
                                       std::uint64_t seed);

} // namespace pearlite::models
