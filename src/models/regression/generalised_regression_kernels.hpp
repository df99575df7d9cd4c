#pragma once
/// The kernels of GeneralisedRegression, for the kernel source of each regression, which ends with
///
///     PEARLITE_REGRESSION_KERNELS(Regression, Data)

#include "models/regression/generalised_regression.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

/// log p(y) of the rows from .. to - 1; with slopes, scratch.slopes becomes the sum of x d log p(y | eta)/d eta.
template <class Regression, class Data>
template <class Instructions, bool with_slopes>
void GeneralisedRegression<Regression, Data>::evaluate_lanes(const Matrix& points, Index first, Index from, Index to,
                                                             Scratch& scratch, std::span<double> log_prior,
                                                             std::span<double> log_likelihood) const {
    using namespace regression_lanes;
    const auto& regression = static_cast<const Regression&>(*this);
    const Index d = points.rows(), stride = rows_.rows();
    scratch.coefficients = points.middleCols<lanes>(first).transpose();
    scratch.slopes.setZero();
    Lanes squares = Lanes::Zero(), sum = Lanes::Zero();
    for (Index k = 0; k < d; ++k)
        squares += (scratch.coefficients.col(k) - prior_mean_(k)).square();
    Predictors predictors;
    for (Index row = from; row < to; row += piece) {
        const Index rows = std::min(piece, to - row), padded_rows = simd::padded_to_sums<double>(rows);
        const double* const x = rows_.data() + row * stride;
        predictors.leftCols(padded_rows).setZero();
        simd::add_lane_products(scratch.coefficients.data(), d, x, stride, 1, padded_rows, predictors.data());
        regression.template add_log_probabilities<Instructions, with_slopes>(predictors, row, rows, sum);
        if constexpr (with_slopes)
            simd::add_lane_products(predictors.data(), rows, x, 1, stride, stride, scratch.slopes.data());
    }
    const double variance = data_.prior_variance;
    const double prior_constant = -0.5 * static_cast<double>(d) * (std::log(2 * std::numbers::pi) + std::log(variance));
    Eigen::Map<Lanes>(log_likelihood.data() + first) = sum;
    Eigen::Map<Lanes>(log_prior.data() + first) = prior_constant - squares * (0.5 / variance);
}

/// The slopes alone. Sums of more than a piece of the rows are in double precision: their error does not grow with the
/// number of rows.
template <class Regression, class Data>
template <class Instructions>
void GeneralisedRegression<Regression, Data>::force_lanes(const Matrix& points, Index first,
                                                          ForceScratch& scratch) const {
    using namespace regression_lanes;
    const auto& regression = static_cast<const Regression&>(*this);
    const Index d = points.rows(), stride = single_rows_.rows(), n = data_points();
    scratch.coefficients = points.middleCols<lanes>(first).transpose().array().template cast<float>();
    scratch.slopes.setZero();
    SinglePredictors predictors;
    for (Index row = 0; row < n; row += piece) {
        const Index rows = std::min(piece, n - row), padded_rows = simd::padded_to_sums<float>(rows);
        const float* const x = single_rows_.data() + row * stride;
        predictors.leftCols(padded_rows).setZero();
        simd::add_lane_products(scratch.coefficients.data(), d, x, stride, 1, padded_rows, predictors.data());
        regression.template take_slopes<Instructions>(predictors, row, rows);
        scratch.piece.setZero();
        simd::add_lane_products(predictors.data(), rows, x, 1, stride, stride, scratch.piece.data());
        scratch.slopes += scratch.piece.template cast<double>();
    }
}

} // namespace pearlite::models

#define PEARLITE_REGRESSION_KERNELS(Regression, Data)                                                                  \
    template void GeneralisedRegression<Regression, Data>::evaluate_lanes<simd::Compiled, false>(                      \
        const Matrix&, Index, Index, Index, Scratch&, std::span<double>, std::span<double>) const;                     \
    template void GeneralisedRegression<Regression, Data>::evaluate_lanes<simd::Compiled, true>(                       \
        const Matrix&, Index, Index, Index, Scratch&, std::span<double>, std::span<double>) const;                     \
    template void GeneralisedRegression<Regression, Data>::force_lanes<simd::Compiled>(const Matrix&, Index,           \
                                                                                       ForceScratch&) const;
