#include "models/gaussian_process/sign_predictor.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::models {

SignPredictor::SignPredictor(const Matrix& covariance, const Matrix& cross, const Vector& variances,
                             const Vector& signs)
    : slopes_(cross.cols(), covariance.cols()) {
    PEARLITE_EXPECTS(cross.rows() == covariance.rows() && cross.cols() == variances.size() &&
                     signs.size() == variances.size());
    const auto factor = cholesky_factor(covariance);
    if (!factor)
        throw NumericalError(fmt::format("the covariance of {} variables is not positive definite", covariance.rows()));
    Matrix half = cross; // C^-1 c, C C' = Sigma
    factor->triangularView<Eigen::Lower>().solveInPlace(half);
    const Vector left = variances - half.colwise().squaredNorm().transpose();
    if (!(left.minCoeff() > 0))
        throw NumericalError("a held-out point has no variance left, given those that were learnt from");
    factor->triangularView<Eigen::Lower>().transpose().solveInPlace(half);
    slopes_ = (half * signs.cwiseQuotient(left.cwiseSqrt()).asDiagonal()).transpose();
}

Matrix SignPredictor::probabilities(const Eigen::Ref<const Matrix>& states) const {
    PEARLITE_EXPECTS(states.rows() == slopes_.cols());
    Matrix values(slopes_.rows(), states.cols());
    values.noalias() = slopes_ * states;
    return values.unaryExpr([](double x) { return std::exp(log_normal_cdf(x)); });
}

} // namespace pearlite::models
