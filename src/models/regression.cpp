#include "pearlite/models/regression.hpp"

#include "pearlite/core/contract.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

namespace pearlite::models {

namespace {

const double log_2_pi = std::log(2 * std::numbers::pi);

std::span<const double> as_span(const Matrix& m) {
    return {m.data(), static_cast<std::size_t>(m.size())};
}
std::span<const double> as_span(const Vector& v) {
    return {v.data(), static_cast<std::size_t>(v.size())};
}

} // namespace

LinearRegression::LinearRegression(LinearRegressionData data)
    : data_(std::move(data)),
      sum_squares_(data_.response.squaredNorm()),
      cross_product_(data_.design.transpose() * data_.response),
      gram_(data_.design.transpose() * data_.design) {
    const Index p = data_.design.cols();
    PEARLITE_EXPECTS(data_.response.size() == data_.design.rows() && data_.prior_mean.size() == p &&
                     data_.prior_precision.size() == p && static_cast<Index>(data_.names.size()) == p);
}

std::vector<std::string> LinearRegression::parameter_names() const {
    auto names = data_.names;
    names.push_back("log_precision");
    return names;
}

void LinearRegression::draw_prior(random::Stream& stream, std::span<double> x) const {
    const double precision = stream.gamma(data_.precision_shape) / data_.precision_rate;
    const Index p = data_.prior_mean.size();
    for (Index k = 0; k < p; ++k)
        x[static_cast<std::size_t>(k)] =
            data_.prior_mean(k) + stream.normal() / std::sqrt(data_.prior_precision(k) * precision);
    x[static_cast<std::size_t>(p)] = std::log(precision);
}

void LinearRegression::evaluate(const Matrix& points, std::span<double> log_prior,
                                std::span<double> log_likelihood) const {
    const Index p = data_.prior_mean.size();
    const auto n = static_cast<double>(data_.response.size());
    const double shape = data_.precision_shape;
    const double prior_constant = shape * std::log(data_.precision_rate) - std::lgamma(shape) +
                                  0.5 * data_.prior_precision.array().log().sum() -
                                  0.5 * static_cast<double>(p) * log_2_pi;
    for (Index i = 0; i < points.cols(); ++i) {
        const auto beta = points.col(i).head(p);
        const double log_precision = points(p, i);
        const double precision = std::exp(log_precision);
        const double prior_square = (data_.prior_precision.array() * (beta - data_.prior_mean).array().square()).sum();
        // Gamma(tau) in log tau has tau^shape, its Jacobian included.
        log_prior[static_cast<std::size_t>(i)] =
            prior_constant + shape * log_precision - data_.precision_rate * precision +
            0.5 * static_cast<double>(p) * log_precision - 0.5 * precision * prior_square;
        const double residual = (data_.response - data_.design * beta).squaredNorm();
        log_likelihood[static_cast<std::size_t>(i)] = 0.5 * n * (log_precision - log_2_pi) - 0.5 * precision * residual;
    }
}

std::optional<double> LinearRegression::exact_log_ratio() const {
    const auto n = static_cast<double>(data_.response.size());
    const Matrix prior_precision = data_.prior_precision.asDiagonal();
    const Matrix posterior_precision = prior_precision + gram_;
    const Eigen::LLT<Matrix> factor(posterior_precision);
    const Vector right = prior_precision * data_.prior_mean + cross_product_;
    const Vector posterior_mean = factor.solve(right);
    const double shape = data_.precision_shape + 0.5 * n;
    const double rate =
        data_.precision_rate +
        0.5 * (sum_squares_ + data_.prior_mean.dot(prior_precision * data_.prior_mean) - posterior_mean.dot(right));
    const double log_determinant = 2 * factor.matrixL().toDenseMatrix().diagonal().array().log().sum();
    return 0.5 * (data_.prior_precision.array().log().sum() - log_determinant) - 0.5 * n * log_2_pi +
           data_.precision_shape * std::log(data_.precision_rate) - shape * std::log(rate) + std::lgamma(shape) -
           std::lgamma(data_.precision_shape);
}

void LinearRegression::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("linear-regression");
    fingerprint.add(as_span(data_.design));
    fingerprint.add(as_span(data_.response));
    fingerprint.add(as_span(data_.prior_mean));
    fingerprint.add(as_span(data_.prior_precision));
    fingerprint.add(data_.precision_shape);
    fingerprint.add(data_.precision_rate);
}

LinearRegressionData radiata_pine(const Vector& strength, const Vector& covariate) {
    PEARLITE_EXPECTS(strength.size() == covariate.size() && strength.size() >= 2);
    LinearRegressionData data;
    data.design.resize(strength.size(), 2);
    data.design.col(0).setOnes();
    data.design.col(1) = covariate.array() - covariate.mean();
    data.response = strength;
    data.names = {"intercept", "slope"};
    data.prior_mean = Vector{{3000.0, 185.0}};
    data.prior_precision = Vector{{0.06, 6.0}};
    data.precision_shape = 3;
    data.precision_rate = 2 * 300.0 * 300.0;
    return data;
}

LogisticRegression::LogisticRegression(LogisticRegressionData data)
    : data_(std::move(data)), cross_product_(data_.design.transpose() * data_.response) {
    PEARLITE_EXPECTS(data_.response.size() == data_.design.rows() &&
                     static_cast<Index>(data_.names.size()) == data_.design.cols() && data_.prior_variance > 0);
}

void LogisticRegression::draw_prior(random::Stream& stream, std::span<double> x) const {
    for (double& value : x)
        value = std::sqrt(data_.prior_variance) * stream.normal();
}

void LogisticRegression::evaluate(const Matrix& points, std::span<double> log_prior,
                                  std::span<double> log_likelihood) const {
    const auto p = static_cast<double>(points.rows());
    const double prior_constant = -0.5 * p * (log_2_pi + std::log(data_.prior_variance));
    const Matrix predictors = data_.design * points; // n x points
    for (Index i = 0; i < points.cols(); ++i) {
        const auto eta = predictors.col(i).array();
        // sum softplus(eta) = sum max(eta, 0) + log of the product of 1 + exp(-|eta|), 512 factors below 2 at a time.
        double softplus_sum = eta.max(0.0).sum();
        for (Index first = 0; first < eta.size(); first += 512)
            softplus_sum +=
                std::log((1 + (-eta.segment(first, std::min<Index>(512, eta.size() - first)).abs()).exp()).prod());
        log_likelihood[static_cast<std::size_t>(i)] = points.col(i).dot(cross_product_) - softplus_sum;
        log_prior[static_cast<std::size_t>(i)] =
            prior_constant - 0.5 * points.col(i).squaredNorm() / data_.prior_variance;
    }
}

void LogisticRegression::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("logistic-regression");
    fingerprint.add(as_span(data_.design));
    fingerprint.add(as_span(data_.response));
    fingerprint.add(data_.prior_variance);
}

} // namespace pearlite::models
