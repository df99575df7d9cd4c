#pragma once
/// Bayesian regressions as Densities: linear with its conjugate prior (exact evidence) and logistic.

#include "models/common/table.hpp"
#include "pearlite/core/types.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/predictive.hpp"
#include "pearlite/random/stream.hpp"

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

/// P(y = 1 | x) = logistic(x' beta), beta ~ N(0, prior_variance I).
struct LogisticRegressionData {
    Matrix design;                  ///< X, n x p, with its intercept column
    Vector response;                ///< n, each 0 or 1
    std::vector<std::string> names; ///< p
    double prior_variance = 100;
    std::vector<Scaling> scalings = {}; ///< of covariates
};

class LogisticRegression {
  public:
    explicit LogisticRegression(LogisticRegressionData data);

    std::vector<std::string> parameter_names() const { return data_.names; }
    model::DataDescription describe_data() const;
    /// Responses y at the rows of the design.
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    void draw_prior(random::Stream& stream, std::span<double> x) const;
    /// points: p x (a multiple of block_padding).
    static constexpr bool evaluates_padding = true;
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        evaluate(points, 0, data_points(), log_prior, log_likelihood);
    }
    /// points: p x (a multiple of block_padding). The same bits as evaluate.
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const;
    /// The gradient in single precision, to 1e-5 of the sum of its terms' sizes.
    void force(const Matrix& points, double b, Eigen::Ref<Matrix> force) const;
    /// The Hessian of the negative log density: b X' Lambda X + I/prior_variance, Lambda_ii = s_i (1 - s_i), s_i =
    /// logistic(x_i' beta) (Girolami & Calderhead 2011, section 7); its derivative is b X' Lambda V_k X, V_k,ii =
    /// (1 - 2 s_i) X_ik.
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const;
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> derivative) const;
    Index data_points() const { return data_.response.size(); }
    /// The log likelihood of the rows from .. to - 1 alone.
    void evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    /// Numbers of sixteen points side by side.
    struct Scratch {
        Eigen::Array<double, block_padding, Eigen::Dynamic> coefficients, slopes;
    };
    static Scratch& scratch_of(Index d);
    struct ForceScratch {
        Eigen::Array<float, block_padding, Eigen::Dynamic> coefficients, piece;
        Eigen::Array<double, block_padding, Eigen::Dynamic> slopes;
    };
    /// A kernel (simd/instructions.hpp).
    template <class Instructions, bool with_slopes>
    void evaluate_lanes(const Matrix& points, Index first, Index from, Index to, Scratch& scratch,
                        std::span<double> log_prior, std::span<double> log_likelihood) const;
    template <class Instructions>
    void force_lanes(const Matrix& points, Index first, ForceScratch& scratch) const;

    LogisticRegressionData data_;
    /// Column i is x_i with the sign that makes it (1 - 2 y_i) x_i, with zeros to a multiple of sums_abreast; columns
    /// of zeros follow, so that as many can be read abreast from any of them.
    Matrix signed_rows_;
    /// The same in single precision.
    Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic> single_rows_;
};

} // namespace pearlite::models
