#include "models/gaussian_process/gp_latent.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/moments.hpp"
#include "models/gaussian_process/expectation_propagation.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

namespace pearlite::models {

namespace {

const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);
/// A point's numbers do not depend on its place: products are of sixteen points always.
constexpr Index abreast = block_padding;

/// (1 + e) K + e I with the least e from 1e-6 on that leaves it a Cholesky factor.
Matrix with_jitter(const Matrix& covariance, double& jitter) {
    for (jitter = 1e-6; jitter <= 1; jitter *= 10) {
        Matrix sum = (1 + jitter) * covariance;
        sum.diagonal().array() += jitter;
        if (cholesky_factor(sum))
            return sum;
    }
    throw NumericalError("the covariance matrix of the Gaussian process has no Cholesky factor");
}

Matrix factor_of(const Matrix& covariance) {
    auto factor = cholesky_factor(covariance);
    if (!factor)
        throw NumericalError("the covariance matrix of the Gaussian process has no Cholesky factor");
    return std::move(*factor);
}

std::vector<std::string> numbered(const std::string& name, Index n) {
    std::vector<std::string> names;
    for (Index i = 1; i <= n; ++i)
        names.push_back(name + std::to_string(i));
    return names;
}

/// The normal approximation of w, x = L w; its precision is I + L' diag(T) L.
struct WhitenedApproximation {
    Vector mean;
    Matrix precision;
};
WhitenedApproximation whitened_approximation(const Matrix& factor, const ExpectationPropagation& q) {
    const Matrix scaled = q.site_precisions.cwiseSqrt().asDiagonal() * factor;
    Matrix precision = column_products(scaled);
    precision.diagonal().array() += 1;
    return {cholesky_solution(factor_of(precision), factor.transpose() * q.site_shifts), precision};
}

} // namespace

GpLatent::GpLatent(const Matrix& covariance, Vector signs, LatentCoordinates coordinates)
    : covariance_(with_jitter(covariance, jitter_)),
      signs_(std::move(signs)),
      coordinates_(coordinates),
      shift_(Vector::Zero(signs_.size())),
      whitened_mean_(shift_) {
    PEARLITE_EXPECTS(covariance.rows() == signs_.size() && covariance.cols() == signs_.size());
    const Index n = signs_.size();
    prior_factor_ = factor_ = factor_of(covariance_);
    whitening_ = prior_precision_ = Matrix::Identity(n, n);
    if (coordinates_ == LatentCoordinates::prior)
        return;
    const auto q = whitened_approximation(prior_factor_, expectation_propagation(covariance_, signs_));
    // The precision is C C', and A = (C^-1)'.
    Matrix inverse_factor = Matrix::Identity(n, n);
    solve_lower(factor_of(q.precision), inverse_factor);
    whitening_ = inverse_factor.transpose();
    whitened_mean_ = q.mean;
    factor_ = prior_factor_ * whitening_;
    shift_ = prior_factor_ * whitened_mean_;
    prior_precision_ = column_products(whitening_);
    log_determinant_ = whitening_.diagonal().array().log().sum();
}

std::vector<std::string> GpLatent::parameter_names() const {
    return numbered("u", signs_.size());
}

std::vector<std::string> GpLatent::quantity_names() const {
    return numbered("f", signs_.size());
}

void GpLatent::draw_prior(random::Stream& stream, std::span<double> u) const {
    const Index n = signs_.size();
    Eigen::Map<Vector> point(u.data(), n);
    for (double& coordinate : u)
        coordinate = stream.normal();
    if (coordinates_ == LatentCoordinates::posterior) // w = m + A u, A upper triangular
        point = whitening_.triangularView<Eigen::Upper>().solve(Vector(point - whitened_mean_));
}

Vector GpLatent::latent(std::span<const double> u) const {
    const Eigen::Map<const Vector> point(u.data(), signs_.size());
    return shift_ + factor_ * point;
}

void GpLatent::quantities(std::span<const double> u, std::span<double> out) const {
    Eigen::Map<Vector>(out.data(), signs_.size()) = latent(u);
}

void GpLatent::transform(const Matrix& points, Index first, Scratch& scratch, std::span<double> log_prior) const {
    const auto u = points.middleCols<abreast>(first);
    auto& [w, x] = scratch;
    if (coordinates_ == LatentCoordinates::prior) {
        w = u;
    } else {
        w.noalias() = whitening_ * u;
        w.colwise() += whitened_mean_;
    }
    x.noalias() = prior_factor_ * w;
    const double constant = log_determinant_ - static_cast<double>(signs_.size()) * half_log_two_pi;
    for (Index i = 0; i < abreast; ++i)
        log_prior[at(first + i)] = constant - 0.5 * w.col(i).squaredNorm();
}

void GpLatent::evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
    const Index n = signs_.size();
    PEARLITE_EXPECTS(points.rows() == n && points.cols() % abreast == 0);
    Scratch scratch{Matrix(n, abreast), Matrix(n, abreast)};
    for (Index first = 0; first < points.cols(); first += abreast) {
        transform(points, first, scratch, log_prior);
        for (Index i = 0; i < abreast; ++i) {
            double sum = 0;
            for (Index k = 0; k < n; ++k)
                sum += log_normal_cdf(signs_(k) * scratch.x(k, i));
            log_likelihood[at(first + i)] = sum;
        }
    }
}

Vector GpLatent::log_likelihoods(std::span<const double> u) const {
    Vector values = signs_.cwiseProduct(latent(u));
    for (double& value : values)
        value = log_normal_cdf(value);
    return values;
}

// A'(b L's - m - A u), s_n = y_n r(y_n x_n).
void GpLatent::evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                      std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
    const Index n = signs_.size();
    PEARLITE_EXPECTS(points.rows() == n && points.cols() % abreast == 0);
    Scratch scratch{Matrix(n, abreast), Matrix(n, abreast)};
    auto& [w, x] = scratch;
    for (Index first = 0; first < points.cols(); first += abreast) {
        transform(points, first, scratch, log_prior);
        for (Index i = 0; i < abreast; ++i) {
            double sum = 0;
            for (Index k = 0; k < n; ++k) {
                const double margin = signs_(k) * x(k, i), log_phi = log_normal_cdf(margin);
                sum += log_phi;
                x(k, i) = b * signs_(k) * inverse_mills_ratio(margin, log_phi);
            }
            log_likelihood[at(first + i)] = sum;
        }
        auto slope = gradient.middleCols<abreast>(first);
        if (coordinates_ == LatentCoordinates::prior) {
            slope.noalias() = prior_factor_.transpose() * x;
            slope -= w;
        } else {
            w = -w;
            w.noalias() += prior_factor_.transpose() * x;
            slope.noalias() = whitening_.transpose() * w;
        }
    }
}

void GpLatent::metric_weights(std::span<const double> u, double b, Vector& weights, Vector& slopes) const {
    const Vector x = latent(u);
    weights.resize(x.size());
    slopes.resize(x.size());
    for (Index k = 0; k < x.size(); ++k) {
        const double right = inverse_mills_ratio(x(k)), left = inverse_mills_ratio(-x(k));
        weights(k) = b * right * left;
        slopes(k) = weights(k) * (-2 * x(k) - right + left);
    }
}

void GpLatent::metric(std::span<const double> u, double b, Eigen::Ref<Matrix> metric) const {
    Vector weights, slopes;
    metric_weights(u, b, weights, slopes);
    metric = column_products(weights.cwiseSqrt().asDiagonal() * factor_);
    metric += prior_precision_;
}

model::NormalApproximation GpLatent::approximation() const {
    const Index n = signs_.size();
    if (coordinates_ == LatentCoordinates::posterior)
        return {Vector::Zero(n), Matrix::Identity(n, n)};
    const auto q = whitened_approximation(prior_factor_, expectation_propagation(covariance_, signs_));
    return {q.mean, factor_of(inverse(q.precision))};
}

std::optional<double> GpLatent::exact_log_ratio() const {
    std::vector<Index> order(at(signs_.size()));
    std::iota(order.begin(), order.end(), Index{0});
    Matrix sum = covariance_;
    sum.diagonal().array() += 1;
    return Orthant({std::move(sum), signs_, std::move(order)}).exact_log_normaliser();
}

void GpLatent::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("gp-classification");
    fingerprint.add(std::span<const double>(covariance_.data(), at(covariance_.size())));
    fingerprint.add(std::span<const double>(signs_.data(), at(signs_.size())));
    fingerprint.add(coordinates_ == LatentCoordinates::prior ? "prior" : "posterior");
}

} // namespace pearlite::models
