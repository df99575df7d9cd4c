#include "models/regression/linear_regression.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/moments.hpp"
#include "models/regression/responses.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <numbers>

namespace pearlite::models {

namespace {

const double log_2_pi = std::log(2 * std::numbers::pi);

} // namespace

LinearRegression::LinearRegression(LinearRegressionData data)
    : data_(std::move(data)),
      gram_(column_products(data_.design)),
      least_squares_(least_squares(data_.design, data_.response)),
      least_residual_((data_.response - data_.design * least_squares_).squaredNorm()) {
    const Index p = data_.design.cols();
    PEARLITE_EXPECTS(data_.response.size() == data_.design.rows() && data_.prior_mean.size() == p &&
                     data_.prior_precision.size() == p && static_cast<Index>(data_.names.size()) == p);
    prior_constant_ = data_.precision_shape * std::log(data_.precision_rate) - std::lgamma(data_.precision_shape) +
                      0.5 * data_.prior_precision.array().log().sum() - 0.5 * static_cast<double>(p) * log_2_pi;
}

std::vector<std::string> LinearRegression::parameter_names() const {
    auto names = data_.names;
    names.emplace_back("log_precision");
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

double LinearRegression::log_prior_of_scale(std::span<const double> parameters, double scale) const {
    const Index p = data_.prior_mean.size();
    const double precision = std::exp(parameters[static_cast<std::size_t>(p)]);
    double sum = 0;
    for (Index k = 0; k < p; ++k)
        sum += log_normal_of_scale(parameters[static_cast<std::size_t>(k)], data_.prior_mean(k),
                                   1 / (data_.prior_precision(k) * precision), scale);
    return sum;
}

double LinearRegression::log_prior_at(const Eigen::Ref<const Vector>& point) const {
    const Index p = data_.prior_mean.size();
    const auto beta = point.head(p);
    const double log_precision = point(p), precision = std::exp(log_precision);
    const double prior_square = (data_.prior_precision.array() * (beta - data_.prior_mean).array().square()).sum();
    // Gamma(tau) in log tau has tau^shape, its Jacobian included.
    return prior_constant_ + data_.precision_shape * log_precision - data_.precision_rate * precision +
           0.5 * static_cast<double>(p) * log_precision - 0.5 * precision * prior_square;
}

void LinearRegression::evaluate(const Matrix& points, std::span<double> log_prior,
                                std::span<double> log_likelihood) const {
    const Index p = data_.prior_mean.size();
    const auto n = static_cast<double>(data_.response.size());
    for (Index i = 0; i < points.cols(); ++i) {
        const auto beta = points.col(i).head(p);
        const double log_precision = points(p, i), precision = std::exp(log_precision);
        log_prior[static_cast<std::size_t>(i)] = log_prior_at(points.col(i));
        // |y - X beta|^2 about its minimum: p^2 operations whatever n, and nothing cancels.
        double residual = least_residual_;
        for (Index k = 0; k < p; ++k)
            residual += (beta(k) - least_squares_(k)) * gram_.col(k).dot(beta - least_squares_);
        log_likelihood[static_cast<std::size_t>(i)] = 0.5 * n * (log_precision - log_2_pi) - 0.5 * precision * residual;
    }
}

void LinearRegression::evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                              std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
    // A point's numbers do not depend on its place: products are of sixteen points always.
    constexpr Index abreast = block_padding;
    const Index p = data_.prior_mean.size();
    PEARLITE_EXPECTS(points.rows() == p + 1 && points.cols() % abreast == 0);
    const auto n = static_cast<double>(data_.response.size());
    Eigen::Matrix<double, Eigen::Dynamic, abreast> shifts(p, abreast), products(p, abreast);
    for (Index first = 0; first < points.cols(); first += abreast) {
        shifts = points.block(0, first, p, abreast).colwise() - least_squares_;
        products.noalias() = gram_ * shifts;
        for (Index i = first; i < first + abreast; ++i) {
            const auto shift = shifts.col(i - first), product = products.col(i - first);
            const double log_precision = points(p, i), precision = std::exp(log_precision);
            const double residual = least_residual_ + shift.dot(product);
            const auto to = static_cast<std::size_t>(i);
            log_prior[to] = log_prior_at(points.col(i));
            log_likelihood[to] = 0.5 * n * (log_precision - log_2_pi) - 0.5 * precision * residual;
            const auto from_mean = points.col(i).head(p) - data_.prior_mean;
            const double prior_square = (data_.prior_precision.array() * from_mean.array().square()).sum();
            gradient.col(i).head(p) = -precision * (data_.prior_precision.cwiseProduct(from_mean) + b * product);
            gradient(p, i) = data_.precision_shape - data_.precision_rate * precision +
                             0.5 * (static_cast<double>(p) - precision * prior_square) +
                             0.5 * b * (n - precision * residual);
        }
    }
}

void LinearRegression::evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                                std::span<double> log_likelihood) const {
    const Index p = data_.prior_mean.size();
    for (Index i = 0; i < points.cols(); ++i) {
        const double log_precision = points(p, i), precision = std::exp(log_precision);
        log_prior[static_cast<std::size_t>(i)] = log_prior_at(points.col(i));
        double residual = 0;
        for (Index row = from; row < to; ++row) {
            double predicted = 0;
            for (Index k = 0; k < p; ++k)
                predicted += data_.design(row, k) * points(k, i);
            residual += (data_.response(row) - predicted) * (data_.response(row) - predicted);
        }
        log_likelihood[static_cast<std::size_t>(i)] =
            0.5 * static_cast<double>(to - from) * (log_precision - log_2_pi) - 0.5 * precision * residual;
    }
}

void LinearRegression::metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const {
    const Index p = data_.prior_mean.size();
    const double precision = std::exp(x[static_cast<std::size_t>(p)]);
    metric.setZero();
    metric.topLeftCorner(p, p) = precision * (b * gram_);
    metric.diagonal().head(p) += precision * data_.prior_precision;
    metric(p, p) = data_.precision_shape + 0.5 * (static_cast<double>(p) + b * static_cast<double>(data_points()));
}

void LinearRegression::metric_derivative(std::span<const double> x, double b, Index k,
                                         Eigen::Ref<Matrix> derivative) const {
    const Index p = data_.prior_mean.size();
    if (k < p) {
        derivative.setZero();
        return;
    }
    metric(x, b, derivative); // proportional to tau but for one element
    derivative(p, p) = 0;
}

std::optional<double> LinearRegression::exact_log_ratio() const {
    const auto n = static_cast<double>(data_.response.size());
    const auto factor = cholesky_factor(Matrix(data_.prior_precision.asDiagonal()) + gram_);
    PEARLITE_ENSURES(factor);
    // min over beta of |y - X beta|^2 + |beta - prior mean|^2_prior, about the least-squares solution.
    const Vector shift = data_.prior_mean - least_squares_;
    const Vector pull = data_.prior_precision.cwiseProduct(shift);
    const double square = least_residual_ + pull.dot(shift) - pull.dot(cholesky_solution(*factor, pull));
    const double shape = data_.precision_shape + 0.5 * n;
    const double rate = data_.precision_rate + 0.5 * square;
    const double log_determinant = 2 * factor->diagonal().array().log().sum();
    return 0.5 * (data_.prior_precision.array().log().sum() - log_determinant) - 0.5 * n * log_2_pi +
           data_.precision_shape * std::log(data_.precision_rate) - shape * std::log(rate) + std::lgamma(shape) -
           std::lgamma(data_.precision_shape);
}

model::Prediction LinearRegression::predict(std::span<const double> u, Index samples,
                                            const random::Address& address) const {
    const Index p = data_.design.cols();
    const double sd = std::exp(-u[static_cast<std::size_t>(p)] / 2);
    return responses(data_.design * Eigen::Map<const Vector>(u.data(), p), data_.observed, samples, address,
                     [&](double mean, random::Stream& stream) { return mean + sd * stream.normal(); });
}

model::DataDescription LinearRegression::describe_data() const {
    auto description = describe_regression(data_.design, data_.response, data_.observed, data_.names, data_.scalings);
    description.priors = data_.priors;
    return description;
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

} // namespace pearlite::models
