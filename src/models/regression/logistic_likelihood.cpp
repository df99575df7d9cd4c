/// The densities of a logistic regression block by block, and its metric.

#include "models/regression/regression.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"
#include "simd/lane_products.hpp"

namespace pearlite::models {

namespace {

/// A point's numbers do not depend on its place among the lanes.
constexpr Index lanes = block_padding;

} // namespace

/// The scratch of this thread, kept from call to call: nothing is allocated.
LogisticRegression::Scratch& LogisticRegression::scratch_of(Index d) {
    static thread_local Scratch scratch;
    if (scratch.coefficients.cols() != d) {
        scratch.coefficients.resize(lanes, d);
        scratch.slopes.resize(lanes, simd::padded_to_sums<double>(d));
    }
    return scratch;
}

void LogisticRegression::evaluate(const Matrix& points, Index from, Index to, std::span<double> log_prior,
                                  std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % lanes == 0);
    Scratch& scratch = scratch_of(points.rows());
    simd::on_this_cpu([&](auto cpu) {
        for (Index first = 0; first < points.cols(); first += lanes)
            evaluate_lanes<decltype(cpu), false>(points, first, from, to, scratch, log_prior, log_likelihood);
    });
}

void LogisticRegression::evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % lanes == 0);
    Scratch& scratch = scratch_of(points.rows());
    for (Index first = 0; first < points.cols(); first += lanes) {
        simd::on_this_cpu([&](auto cpu) {
            evaluate_lanes<decltype(cpu), true>(points, first, 0, data_points(), scratch, log_prior, log_likelihood);
        });
        gradient.middleCols<lanes>(first) = points.middleCols<lanes>(first) * (-1 / data_.prior_variance) -
                                            b * scratch.slopes.leftCols(points.rows()).matrix().transpose();
    }
}

void LogisticRegression::force(const Matrix& points, double b, Eigen::Ref<Matrix> force) const {
    PEARLITE_EXPECTS(points.rows() == data_.design.cols() && points.cols() % lanes == 0);
    const Index d = points.rows();
    static thread_local ForceScratch scratch;
    if (scratch.coefficients.cols() != d) {
        scratch.coefficients.resize(lanes, d);
        scratch.piece.resize(lanes, single_rows_.rows());
        scratch.slopes.resize(lanes, single_rows_.rows());
    }
    simd::on_this_cpu([&](auto cpu) {
        for (Index first = 0; first < points.cols(); first += lanes) {
            force_lanes<decltype(cpu)>(points, first, scratch);
            force.middleCols<lanes>(first) = points.middleCols<lanes>(first) * (-1 / data_.prior_variance) -
                                             b * scratch.slopes.leftCols(d).matrix().transpose();
        }
    });
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
