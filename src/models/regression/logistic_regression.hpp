#pragma once
/// Bayesian logistic regression as a Density.

#include "models/regression/generalised_regression.hpp"

namespace pearlite::models {

/// P(y = 1 | x) = logistic(x' beta), beta ~ N(0, prior_variance I); responses are 0 or 1.
using LogisticRegressionData = RegressionData;

class LogisticRegression final : public GeneralisedRegression<LogisticRegression, LogisticRegressionData> {
  public:
    explicit LogisticRegression(LogisticRegressionData data);

    model::DataDescription describe_data() const;
    /// Responses y at the rows of the design.
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    /// b s (1 - s) with s = logistic(eta), and its derivative by eta (Girolami & Calderhead 2011, section 7).
    void metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    friend class GeneralisedRegression<LogisticRegression, LogisticRegressionData>;

    /// The sign of a row, 1 - 2 y, makes log p(y | eta) = -log(1 + exp(eta)) for both responses.
    template <class Instructions, bool with_slopes>
    void add_log_probabilities(Predictors& eta, Index first_row, Index rows, Lanes& sum) const;
    template <class Instructions>
    void take_slopes(SinglePredictors& eta, Index first_row, Index rows) const;
};

} // namespace pearlite::models
