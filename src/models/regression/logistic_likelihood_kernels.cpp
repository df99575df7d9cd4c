// The log densities of a logistic regression and their gradients, sixteen points side by side in vector lanes.
#include "models/regression/regression.hpp"
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

static_assert(piece <= 1000, "2^piece is no overflow");

/// Adds softplus of the first `rows` columns of eta to the sum; the factors 1 + exp(-|eta|) share one logarithm. With
/// slopes, eta becomes the derivative of its softplus.
template <bool with_slopes>
void add_softplus(Predictors& predictors, Index rows, Lanes& sum) {
    for (Index lane = 0; lane < lanes; lane += simd::lanes<Doubles>) {
        auto total = simd::load<Doubles>(&sum(lane)), product = simd::broadcast<Doubles>(1);
        for (Index r = 0; r < rows; ++r) {
            double* const place = &predictors(lane, r);
            const auto eta = simd::load<Doubles>(place);
            const auto e = simd::exp(simd::minus_absolute(eta));
            total += simd::positive_part(eta);
            product *= 1.0 + e;
            if constexpr (with_slopes)
                simd::store(place, simd::logistic(eta, simd::smaller_tail(e)));
        }
        simd::store(&sum(lane), total + simd::log(product));
    }
}

} // namespace

/// log p(y) = -sum softplus(eta), eta = (1 - 2 y) x' beta, of the rows from .. to - 1; with slopes, scratch.slopes
/// becomes the sum of (1 - 2 y) x softplus'(eta).
template <class, bool with_slopes>
void LogisticRegression::evaluate_lanes(const Matrix& points, Index first, Index from, Index to, Scratch& scratch,
                                        std::span<double> log_prior, std::span<double> log_likelihood) const {
    const Index d = points.rows(), stride = signed_rows_.rows();
    scratch.coefficients = points.middleCols<lanes>(first).transpose();
    scratch.slopes.setZero();
    Lanes squares = Lanes::Zero(), softplus_sum = Lanes::Zero();
    for (Index k = 0; k < d; ++k)
        squares += scratch.coefficients.col(k).square();
    Predictors predictors;
    for (Index row = from; row < to; row += piece) {
        const Index rows = std::min(piece, to - row), padded_rows = simd::padded_to_sums<double>(rows);
        const double* const x = signed_rows_.data() + row * stride;
        predictors.leftCols(padded_rows).setZero();
        simd::add_lane_products(scratch.coefficients.data(), d, x, stride, 1, padded_rows, predictors.data());
        add_softplus<with_slopes>(predictors, rows, softplus_sum);
        if constexpr (with_slopes)
            simd::add_lane_products(predictors.data(), rows, x, 1, stride, stride, scratch.slopes.data());
    }
    const double variance = data_.prior_variance;
    const double prior_constant = -0.5 * static_cast<double>(d) * (std::log(2 * std::numbers::pi) + std::log(variance));
    Eigen::Map<Lanes>(log_likelihood.data() + first) = -softplus_sum;
    Eigen::Map<Lanes>(log_prior.data() + first) = prior_constant - squares * (0.5 / variance);
}

template void LogisticRegression::evaluate_lanes<simd::Compiled, false>(const Matrix& points, Index first, Index from,
                                                                        Index to, Scratch& scratch,
                                                                        std::span<double> log_prior,
                                                                        std::span<double> log_likelihood) const;
template void LogisticRegression::evaluate_lanes<simd::Compiled, true>(const Matrix& points, Index first, Index from,
                                                                       Index to, Scratch& scratch,
                                                                       std::span<double> log_prior,
                                                                       std::span<double> log_likelihood) const;

} // namespace pearlite::models
