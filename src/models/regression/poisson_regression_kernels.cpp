// The log densities of a Poisson regression and their gradients, sixteen points side by side in vector lanes.
#include "models/regression/poisson_regression.hpp"
#include "models/regression/regression_lanes.hpp"
#include "simd/instructions.hpp"
#include "simd/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

namespace {

using namespace regression_lanes;
using simd::Doubles;

/// From here on exp() is no number; the log density is far below any that matters.
constexpr double largest_exponent = 700;

/// Adds y eta - exposure exp(eta) - log y! of the first `rows` columns of eta to the sum. With slopes, eta becomes y -
/// exposure exp(eta).
template <bool with_slopes>
void add_log_probabilities(Predictors& predictors, Index rows, const double* y, const double* exposure,
                           const double* log_factorial, Lanes& sum) {
    for (Index lane = 0; lane < lanes; lane += simd::lanes<Doubles>) {
        auto total = simd::load<Doubles>(&sum(lane));
        for (Index r = 0; r < rows; ++r) {
            double* const place = &predictors(lane, r);
            const auto eta = simd::load<Doubles>(place);
            const auto largest = simd::broadcast<Doubles>(largest_exponent);
            const auto mean = exposure[r] * simd::exp(eta < largest ? eta : largest);
            total += (y[r] * eta - mean) - log_factorial[r];
            if constexpr (with_slopes)
                simd::store(place, y[r] - mean);
        }
        simd::store(&sum(lane), total);
    }
}

} // namespace

template <class, bool with_slopes>
void PoissonRegression::evaluate_lanes(const Matrix& points, Index first, Index from, Index to, Scratch& scratch,
                                       std::span<double> log_prior, std::span<double> log_likelihood) const {
    const Index d = points.rows(), stride = rows_.rows();
    scratch.coefficients = points.middleCols<lanes>(first).transpose();
    scratch.slopes.setZero();
    Lanes squares = Lanes::Zero(), sum = Lanes::Zero();
    for (Index k = 0; k < d; ++k)
        squares += scratch.coefficients.col(k).square();
    Predictors predictors;
    for (Index row = from; row < to; row += piece) {
        const Index rows = std::min(piece, to - row), padded_rows = simd::padded_to_sums<double>(rows);
        const double* const x = rows_.data() + row * stride;
        predictors.leftCols(padded_rows).setZero();
        simd::add_lane_products(scratch.coefficients.data(), d, x, stride, 1, padded_rows, predictors.data());
        add_log_probabilities<with_slopes>(predictors, rows, data_.response.data() + row, data_.exposure.data() + row,
                                           log_factorials_.data() + row, sum);
        if constexpr (with_slopes)
            simd::add_lane_products(predictors.data(), rows, x, 1, stride, stride, scratch.slopes.data());
    }
    const double variance = data_.prior_variance;
    const double prior_constant = -0.5 * static_cast<double>(d) * (std::log(2 * std::numbers::pi) + std::log(variance));
    Eigen::Map<Lanes>(log_likelihood.data() + first) = sum;
    Eigen::Map<Lanes>(log_prior.data() + first) = prior_constant - squares * (0.5 / variance);
}

template void PoissonRegression::evaluate_lanes<simd::Compiled, false>(const Matrix& points, Index first, Index from,
                                                                       Index to, Scratch& scratch,
                                                                       std::span<double> log_prior,
                                                                       std::span<double> log_likelihood) const;
template void PoissonRegression::evaluate_lanes<simd::Compiled, true>(const Matrix& points, Index first, Index from,
                                                                      Index to, Scratch& scratch,
                                                                      std::span<double> log_prior,
                                                                      std::span<double> log_likelihood) const;

} // namespace pearlite::models
