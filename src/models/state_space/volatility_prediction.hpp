#pragma once
/// Predictions of stochastic volatility from parameters: the volatility itself, day by day, and returns to come.

#include "models/state_space/volatility_process.hpp"
#include "pearlite/model/predictive.hpp"

#include <span>

namespace pearlite::models {

struct VolatilityPredictionSettings {
    Index particles = 1000; ///< of the filter
    Index horizon = 20;     ///< times beyond the last return
};

/// Volatility is exp(h_t/2): the standard deviation of a return with normal errors, the scale of one with Student-t
/// errors. Within the data, for every time: `volatility` given the returns up to it (filtered), and `y`, a return given
/// those before it (one step ahead). Beyond them `volatility` and `y` at the next times of the horizon. A bootstrap
/// filter with numbers at the address, samples with those of its next step. Empty for parameters that are not valid or
/// give the filter likelihood 0.
model::Prediction predict_volatility(const VolatilityParameters& parameters, std::span<const double> returns,
                                     Index samples, const VolatilityPredictionSettings& settings,
                                     const random::Address& address);

} // namespace pearlite::models
