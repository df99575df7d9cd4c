#pragma once
/// Bayesian linear regression as a Density, with its conjugate prior: exact evidence.

#include "models/common/table.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/predictive.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// y = X beta + e, e ~ N(0, 1/tau); beta | tau ~ N(prior_mean, diag(1/prior_precision)/tau), tau ~ Gamma(shape, rate).
struct LinearRegressionData {
    Matrix design;                  ///< X, n x p, with its intercept column if it has one
    Vector response;                ///< y, n
    std::vector<std::string> names; ///< p names of coefficients
    Vector prior_mean;              ///< p
    Vector prior_precision;         ///< p, in units of tau
    double precision_shape = 1;
    double precision_rate = 1;
    std::vector<Scaling> scalings = {}; ///< of covariates
    Observed observed = {};
    std::vector<std::string> priors = {}; ///< in words
};

/// Parameters: the p coefficients and log tau (the density carries the Jacobian).
class LinearRegression {
  public:
    explicit LinearRegression(LinearRegressionData data);

    std::vector<std::string> parameter_names() const;
    model::DataDescription describe_data() const;
    /// Responses y at the rows of the design.
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    void draw_prior(random::Stream& stream, std::span<double> x) const;
    /// Scales the prior of the coefficients, given log tau.
    double log_prior_of_scale(std::span<const double> parameters, double scale) const;
    static constexpr bool evaluates_padding = true;
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const;
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const;
    Index data_points() const { return data_.response.size(); }
    /// The log likelihood of the rows from .. to - 1 alone, by p operations a row.
    void evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    /// The expected information: tau (P + b X'X) of beta, P the prior's precisions in units of tau, and precision_shape
    /// + (p + b n)/2 of log tau.
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const;
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> derivative) const;
    /// The conjugate evidence log p(y) in closed form.
    std::optional<double> exact_log_ratio() const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    double log_prior_at(const Eigen::Ref<const Vector>& point) const;

    LinearRegressionData data_;
    double prior_constant_ = 0;
    Matrix gram_;               ///< X'X
    Vector least_squares_;      ///< beta that minimises |y - X beta|^2
    double least_residual_ = 0; ///< that minimum
};

/// The radiata pine comparison of Williams (1959) with the priors of Friel & Pettitt (2008): strength y against a
/// covariate, centred here; intercept and slope prior means 3000 and 185 with precisions 0.06 and 6, tau ~ Gamma(3,
/// rate 2 x 300^2).
LinearRegressionData radiata_pine(const Vector& strength, const Vector& covariate);

} // namespace pearlite::models
