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

} // namespace pearlite::models
