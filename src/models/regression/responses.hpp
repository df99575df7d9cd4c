#pragma once
/// Functions that all regressions share: a description of their data for reports, and draws of new responses.

#include "models/common/table.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/predictive.hpp"

#include <cmath>
#include <span>

namespace pearlite::models {

/// The responses and the design, and the means and standard deviations of covariates that were standardised.
model::DataDescription describe_regression(const Matrix& design, const Vector& response, const Observed& observed,
                                           const std::vector<std::string>& names, const std::vector<Scaling>& scalings);

/// The log of N(mean, scale^2 variance), over N(mean, variance), of a coefficient whose prior that is.
inline double log_normal_of_scale(double x, double mean, double variance, double scale) {
    const double difference = x - mean;
    return -std::log(scale) + 0.5 * difference * difference / variance * (1 - 1 / (scale * scale));
}

/// The numbers in the order of memory.
template <class Numbers>
std::span<const double> as_span(const Numbers& numbers) {
    return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}

/// `samples` times a response for each predictor: draw(predictor, stream).
template <class Draw>
model::Prediction responses(const Vector& predictors, const Observed& observed, Index samples,
                            const random::Address& address, const Draw& draw) {
    random::Stream stream(address);
    LabelledArray y{observed.name, {model::sample_dimension(samples), observed.dimension(predictors.size())}, {}};
    for (Index s = 0; s < samples; ++s)
        for (const double predictor : predictors)
            y.values.push_back(draw(predictor, stream));
    return {{std::move(y)}, {}};
}

} // namespace pearlite::models
