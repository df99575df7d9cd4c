/// The log densities of a logistic regression and their gradients, sixteen points side by side in vector lanes.

#include "models/regression/regression.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace pearlite::models {

namespace {

/// A point's numbers do not depend on its place among the lanes. The rows of X come in pieces that stay in the cache,
/// so that nothing is allocated.
constexpr Index lanes = block_padding, piece = 128;
using Lanes = Eigen::Array<double, lanes, 1>;
using Predictors = Eigen::Matrix<double, lanes, piece>;

/// Adds softplus of the first `rows` columns of eta to the sum; the factors 1 + exp(-|eta|) share one logarithm. With
/// slopes, eta becomes the derivative of its softplus.
template <bool with_slopes>
void add_softplus(Predictors& predictors, Index rows, Lanes& sum) {
    Lanes product = Lanes::Ones();
    for (Index r = 0; r < rows; ++r) {
        auto eta = predictors.col(r).array();
        const Lanes e = (-eta.abs()).exp(), factor = 1 + e;
        sum += eta.max(0.0);
        product *= factor;
        if constexpr (with_slopes)
            eta = (eta > 0).select(Lanes::Ones(), e) / factor;
    }
    sum += product.log();
}

} // namespace

/// log p(y) = -sum softplus(eta), eta = (1 - 2 y) x' beta, of the rows from .. to - 1. `use_slopes` gets the first row
/// of each piece and the slopes (16 x its rows); nullptr: they are not computed.
template <class UseSlopes>
void LogisticRegression::evaluate_lanes(const Matrix& points, Index first, Index from, Index to,
                                        std::span<double> log_prior, std::span<double> log_likelihood,
                                        const UseSlopes& use_slopes) const {
    constexpr bool with_slopes = !std::is_null_pointer_v<UseSlopes>;
    const auto group = points.middleCols<lanes>(first);
    Lanes squares = Lanes::Zero(), softplus_sum = Lanes::Zero();
    for (Index k = 0; k < points.rows(); ++k)
        squares += group.row(k).transpose().array().square();
    Predictors predictors;
    for (Index row = from; row < to; row += piece) {
        const Index rows = std::min(piece, to - row), padded_rows = std::min(padded(rows), signed_rows_.cols() - row);
        predictors.leftCols(padded_rows).noalias() = group.transpose() * signed_rows_.middleCols(row, padded_rows);
        add_softplus<with_slopes>(predictors, rows, softplus_sum);
        if constexpr (with_slopes)
            use_slopes(row, predictors.leftCols(rows));
    }
    const double variance = data_.prior_variance;
    const double prior_constant =
        -0.5 * static_cast<double>(points.rows()) * (std::log(2 * std::numbers::pi) + std::log(variance));
    Eigen::Map<Lanes>(log_likelihood.data() + first) = -softplus_sum;
    Eigen::Map<Lanes>(log_prior.data() + first) = prior_constant - squares * (0.5 / variance);
}

void LogisticRegression::evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                                  std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % lanes == 0);
    for (Index first = 0; first < points.cols(); first += lanes)
        evaluate_lanes(points, first, from, to, log_prior, log_likelihood, nullptr);
}

void LogisticRegression::evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % lanes == 0);
    for (Index first = 0; first < points.cols(); first += lanes) {
        auto slope = gradient.middleCols<lanes>(first);
        slope = points.middleCols<lanes>(first) * (-1 / data_.prior_variance);
        evaluate_lanes(points, first, 0, data_points(), log_prior, log_likelihood, [&](Index row, const auto& slopes) {
            slope.noalias() -= signed_rows_.middleCols(row, slopes.cols()) * (b * slopes.transpose());
        });
    }
}

namespace {

/// s (1 - s) (1 - 2 s)^m of s = logistic(eta), m = 0 or 1, and no overflow.
Vector logistic_weights(const Vector& predictors, bool with_slope) {
    const Eigen::ArrayXd e = (-predictors.array().abs()).exp();
    const Eigen::ArrayXd variance = e / (1 + e).square();
    if (!with_slope)
        return variance;
    return variance * (1 - e) / (1 + e) * -predictors.array().sign();
}

} // namespace

void LogisticRegression::metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const {
    const Vector point = Eigen::Map<const Vector>(x.data(), data_.design.cols());
    const Vector weights = b * logistic_weights(data_.design * point, false);
    const Matrix weighted = weights.asDiagonal() * data_.design;
    metric.noalias() = data_.design.transpose() * weighted;
    metric.diagonal().array() += 1 / data_.prior_variance;
}

void LogisticRegression::metric_derivative(std::span<const double> x, double b, Index k,
                                           Eigen::Ref<Matrix> derivative) const {
    const Vector point = Eigen::Map<const Vector>(x.data(), data_.design.cols());
    const Vector weights = b * logistic_weights(data_.design * point, true).cwiseProduct(data_.design.col(k));
    const Matrix weighted = weights.asDiagonal() * data_.design;
    derivative.noalias() = data_.design.transpose() * weighted;
}

} // namespace pearlite::models
