#pragma once
/// Signs of further variables of a normal vector.

#include "pearlite/core/types.hpp"

namespace pearlite::models {

/// z ~ N(0, Sigma) and, jointly normal with it, z_*: z_* | z ~ N(w'z, s^2), w = Sigma^-1 c, s^2 = Var[z_*] - w'c, so
/// that P(y z_* > 0 | z) = Phi(y w'z/s). For Gaussian process classification with a probit link z are latent values
/// with or without the noise of the link, z_* those of other points with it.
class SignPredictor {
  public:
    /// covariance: Sigma, N x N; cross: c, N x points; variances: Var[z_*] of each point; signs: y of each point, 1 or
    /// -1. NumericalError if the covariance of them all is not positive definite.
    SignPredictor(const Matrix& covariance, const Matrix& cross, const Vector& variances, const Vector& signs);

    /// states: N x particles. P(y z_* > 0 | z), points x particles.
    Matrix probabilities(const Eigen::Ref<const Matrix>& states) const;

  private:
    Matrix slopes_; ///< y w'/s, points x N
};

} // namespace pearlite::models
