#include "kernel/proposal.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <cmath>

namespace pearlite::kernel {

Matrix random_walk_factor(const Matrix& covariance, const Matrix& fallback) {
    const Index d = covariance.rows();
    PEARLITE_EXPECTS(covariance.cols() == d && fallback.rows() == d && fallback.cols() == d);
    const double scale = 2.38 / std::sqrt(static_cast<double>(d));
    // Factor the correlations, so that "not positive definite" does not depend on the parameters' units.
    const Vector sd = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    const bool usable = covariance.allFinite() && (sd.array() > 0).all();
    if (usable) {
        const Vector inverse_sd = sd.cwiseInverse();
        const auto lower = cholesky_factor(inverse_sd.asDiagonal() * covariance * inverse_sd.asDiagonal());
        if (lower && lower->diagonal().minCoeff() > 1e-6)
            return scale * (sd.asDiagonal() * *lower);
    }
    Matrix factor = fallback;
    for (Index k = 0; k < d; ++k)
        if (std::isfinite(sd(k)) && sd(k) > 0) {
            factor.row(k).setZero();
            factor(k, k) = scale * sd(k);
        }
    return factor;
}

} // namespace pearlite::kernel
