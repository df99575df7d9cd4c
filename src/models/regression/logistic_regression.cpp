#include "models/regression/logistic_regression.hpp"

namespace pearlite::models {

namespace {

Vector signs_of(const LogisticRegressionData& data) {
    for (const double y : data.response)
        PEARLITE_EXPECTS(y == 0 || y == 1);
    return 1 - 2 * data.response.array();
}

} // namespace

LogisticRegression::LogisticRegression(LogisticRegressionData data)
    : GeneralisedRegression(std::move(data), signs_of) {}

void LogisticRegression::metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const {
    const Vector eta = predictors_at(x);
    const Eigen::ArrayXd e = (-eta.array().abs()).exp(); // no overflow
    weights = b * (e / (1 + e).square());
    slopes = weights.array() * (1 - e) / (1 + e) * -eta.array().sign();
}

model::Prediction LogisticRegression::predict(std::span<const double> u, Index samples,
                                              const random::Address& address) const {
    return responses(predictors_at(u), data_.observed, samples, address, [](double predictor, random::Stream& stream) {
        return stream.uniform() < 1 / (1 + std::exp(-predictor)) ? 1.0 : 0.0;
    });
}

model::DataDescription LogisticRegression::describe_data() const {
    auto description = describe_regression(data_.design, data_.response, data_.observed, data_.names, data_.scalings);
    description.observed.front().is_whole = true;
    description.priors = data_.priors;
    return description;
}

void LogisticRegression::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("logistic-regression");
    fingerprint.add(as_span(data_.design));
    fingerprint.add(as_span(data_.response));
    fingerprint.add(data_.prior_variance);
}

} // namespace pearlite::models
