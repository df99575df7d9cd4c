#pragma once
/// Gaussian process classification with a probit link: f ~ N(0, K), p(y_i = 1 | f) = Phi(f_i). The evidence p(y) is
/// that of an orthant (orthant.hpp) of z = f + e, e ~ N(0, I), and grows observation by observation; or f is annealed
/// (gp_latent.hpp).

#include "models/gaussian_process/classification_data.hpp"
#include "models/gaussian_process/covariance.hpp"
#include "models/gaussian_process/gp_latent.hpp"
#include "pearlite/model/detail/built_model.hpp"

#include <memory>

namespace pearlite::models {

struct GpClassificationSettings {
    ClassificationData data;
    Covariance covariance;
    bool is_double = false; ///< states of growing populations in double precision
};

/// With f annealed, in these coordinates.
std::unique_ptr<model::BuiltModel> built_gp_classification(GpClassificationSettings settings,
                                                           LatentCoordinates coordinates);
/// With z annealed (annealed_orthant.hpp).
std::unique_ptr<model::BuiltModel> built_gp_orthant(GpClassificationSettings settings);

} // namespace pearlite::models
