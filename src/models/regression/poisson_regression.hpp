#pragma once
/// Bayesian Poisson regression as a Density.

#include "models/regression/regression.hpp"

namespace pearlite::models {

/// y_i ~ Poisson(exposure_i exp(x_i' beta)), beta ~ N(0, prior_variance I).
struct PoissonRegressionData {
    Matrix design;                  ///< X, n x p, with its intercept column if it has one
    Vector response;                ///< n, whole numbers of at least 0
    Vector exposure;                ///< n, above 0
    std::vector<std::string> names; ///< p
    double prior_variance = 100;
    std::vector<Scaling> scalings; ///< of covariates
};

class PoissonRegression {
  public:
    explicit PoissonRegression(PoissonRegressionData data);

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
    /// The Hessian of the negative log density: b X' Lambda X + I/prior_variance, Lambda_ii the mean of y_i; w = b
    /// Lambda is its own derivative by the predictor.
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const;
    const Matrix& predictors() const { return data_.design; }
    void metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const;
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
    /// A kernel (simd/instructions.hpp).
    template <class Instructions, bool with_slopes>
    void evaluate_lanes(const Matrix& points, Index first, Index from, Index to, Scratch& scratch,
                        std::span<double> log_prior, std::span<double> log_likelihood) const;
    Vector means(std::span<const double> x) const;

    PoissonRegressionData data_;
    Vector log_factorials_; ///< log y_i! - y_i log exposure_i, n
    /// Column i is x_i, with zeros to a multiple of sums_abreast; columns of zeros follow, so that as many can be read
    /// abreast from any of them.
    Matrix rows_;
};

} // namespace pearlite::models
