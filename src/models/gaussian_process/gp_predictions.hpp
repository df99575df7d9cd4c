#pragma once
/// Predictions of held-out points by Gaussian process classification, and the approximation by expectation propagation.

#include "models/gaussian_process/gp_classification.hpp"
#include "pearlite/model/detail/class_predictions.hpp"

#include <memory>
#include <vector>

namespace pearlite::models {

model::HeldOutObservations held_out_observations(const ClassificationData& data);

/// From blocks of an orthant (orthant_block.hpp) of z = f + e, whose observations are in this order. Null if nothing is
/// held out. The weights of all points, points x N, are made when they are first asked for.
std::shared_ptr<const model::HeldOutClasses>
orthant_predictions(std::shared_ptr<const GpClassificationSettings> settings, std::vector<Index> order);
/// From points of the density of latent values of these settings, likewise.
std::shared_ptr<const model::HeldOutClasses>
latent_predictions(std::shared_ptr<const GpClassificationSettings> settings, GpLatent latent);

/// Expectation propagation: evidence, correction, and predictions of the held-out points.
std::shared_ptr<const model::Approximated> gp_approximation(std::shared_ptr<const GpClassificationSettings> settings);

// Signs of further variables of a normal vector.

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
