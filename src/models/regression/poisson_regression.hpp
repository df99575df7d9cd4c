#pragma once
/// Bayesian Poisson regression as a Density.

#include "models/regression/generalised_regression.hpp"

namespace pearlite::models {

/// y_i ~ Poisson(exposure_i exp(x_i' beta)), with the prior of RegressionData; responses are whole
/// numbers of at least 0.
struct PoissonRegressionData : RegressionData {
    Vector exposure; ///< n, above 0
};

class PoissonRegression final : public GeneralisedRegression<PoissonRegression, PoissonRegressionData> {
  public:
    explicit PoissonRegression(PoissonRegressionData data);

    model::DataDescription describe_data() const;
    /// Responses y at the rows of the design.
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    /// b times the means of the responses, which is its own derivative by the predictor.
    void metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    friend class GeneralisedRegression<PoissonRegression, PoissonRegressionData>;

    Vector means(std::span<const double> x) const;
    template <class Instructions, bool with_slopes>
    void add_log_probabilities(Predictors& eta, Index first_row, Index rows, Lanes& sum) const;
    template <class Instructions>
    void take_slopes(SinglePredictors& eta, Index first_row, Index rows) const;

    Vector log_factorials_; ///< log y_i! - y_i log exposure_i, n
};

} // namespace pearlite::models
