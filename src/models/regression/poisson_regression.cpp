#include "models/regression/poisson_regression.hpp"

namespace pearlite::models {

namespace {

/// Poisson, by the products of uniform numbers below a mean of 10 and by Hoermann's PTRS (1993) from there on.
double poisson(double mean, random::Stream& stream) {
    if (!(mean < 1e15))
        return mean;
    if (mean < 10) {
        const double limit = std::exp(-mean);
        double product = stream.uniform(), count = 0;
        for (; product > limit; product *= stream.uniform())
            ++count;
        return count;
    }
    const double log_mean = std::log(mean), b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
    const double log_inverse_alpha = std::log(1.1239 + 1.1328 / (b - 3.4)), v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = stream.uniform() - 0.5, v = stream.uniform(), us = 0.5 - std::abs(u);
        const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= v_r)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (std::log(v) + log_inverse_alpha - std::log(a / (us * us) + b) <= k * log_mean - mean - std::lgamma(k + 1))
            return k;
    }
}

Vector plain_rows(const PoissonRegressionData& data) {
    return Vector::Ones(data.response.size());
}

} // namespace

PoissonRegression::PoissonRegression(PoissonRegressionData data)
    : GeneralisedRegression(std::move(data), plain_rows), log_factorials_(data_points()) {
    PEARLITE_EXPECTS(data_.exposure.size() == data_points() && data_.exposure.minCoeff() > 0 &&
                     data_.response.minCoeff() >= 0);
    for (Index i = 0; i < data_points(); ++i)
        log_factorials_(i) = std::lgamma(data_.response(i) + 1) - data_.response(i) * std::log(data_.exposure(i));
}

Vector PoissonRegression::means(std::span<const double> x) const {
    return data_.exposure.array() * predictors_at(x).array().exp();
}

void PoissonRegression::metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const {
    weights = b * means(x);
    slopes = weights;
}

model::Prediction PoissonRegression::predict(std::span<const double> u, Index samples,
                                             const random::Address& address) const {
    return responses(means(u), data_.observed, samples, address,
                     [](double mean, random::Stream& stream) { return poisson(mean, stream); });
}

model::DataDescription PoissonRegression::describe_data() const {
    auto description = describe_regression(data_.design, data_.response, data_.observed, data_.names, data_.scalings);
    description.observed.front().is_whole = true;
    description.priors = data_.priors;
    description.constant.push_back(
        labelled("exposure", data_.observed.dimension(data_.exposure.size()), data_.exposure));
    return description;
}

void PoissonRegression::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("poisson-regression");
    fingerprint.add(as_span(data_.design));
    fingerprint.add(as_span(data_.response));
    fingerprint.add(as_span(data_.exposure));
    fingerprint.add(data_.prior_variance);
    if (data_.intercept_mean != 0) // as the fingerprints of 0.1.0, which had no other mean
        fingerprint.add(data_.intercept_mean);
}

} // namespace pearlite::models
