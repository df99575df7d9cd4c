// The forces of a logistic regression on trajectories, sixteen points side by side in single precision.
#include "models/regression/regression.hpp"
#include "models/regression/regression_lanes.hpp"
#include "simd/instructions.hpp"
#include "simd/logistic.hpp"

#include <algorithm>

namespace pearlite::models {

namespace {

using namespace regression_lanes;
using simd::Floats;

/// Each of the first `rows` columns of eta becomes the derivative of its softplus.
void take_slopes(SinglePredictors& predictors, Index rows) {
    for (Index place = 0; place < rows * lanes; place += simd::lanes<Floats>) {
        float* const at = predictors.data() + place;
        const auto eta = simd::load<Floats>(at);
        simd::store(at, simd::logistic(eta, simd::smaller_tail(simd::exp(simd::minus_absolute(eta)))));
    }
}

} // namespace

/// The sum of (1 - 2 y) x softplus'(eta), eta = (1 - 2 y) x' beta. Sums of more than a piece of the rows are in double
/// precision: their error does not grow with the number of rows.
template <class>
void LogisticRegression::force_lanes(const Matrix& points, Index first, ForceScratch& scratch) const {
    const Index d = points.rows(), stride = single_rows_.rows(), n = data_points();
    scratch.coefficients = points.middleCols<lanes>(first).transpose().array().cast<float>();
    scratch.slopes.setZero();
    SinglePredictors predictors;
    for (Index row = 0; row < n; row += piece) {
        const Index rows = std::min(piece, n - row), padded_rows = simd::padded_to_sums<float>(rows);
        const float* const x = single_rows_.data() + row * stride;
        predictors.leftCols(padded_rows).setZero();
        simd::add_lane_products(scratch.coefficients.data(), d, x, stride, 1, padded_rows, predictors.data());
        take_slopes(predictors, rows);
        scratch.piece.setZero();
        simd::add_lane_products(predictors.data(), rows, x, 1, stride, stride, scratch.piece.data());
        scratch.slopes += scratch.piece.cast<double>();
    }
}

template void LogisticRegression::force_lanes<simd::Compiled>(const Matrix& points, Index first,
                                                              ForceScratch& scratch) const;

} // namespace pearlite::models
