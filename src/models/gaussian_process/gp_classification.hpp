#pragma once
/// Gaussian process classification with a probit link: f ~ N(0, K), p(y_i = 1 | f) = Phi(f_i). The evidence p(y) is
/// that of an orthant (orthant.hpp) of z = f + e, e ~ N(0, I), and grows observation by observation; or f is annealed
/// (gp_latent.hpp).

#include "models/gaussian_process/classification_data.hpp"
#include "models/gaussian_process/gp_latent.hpp"
#include "pearlite/model/detail/built_model.hpp"

#include <memory>

namespace pearlite::models {

// Covariance functions of Gaussian processes (Rasmussen & Williams 2006, section 4.2).

/// With r = |x - x'|/l: sigma^2 times exp(-r^2/2); (1 + sqrt(3) r) exp(-sqrt(3) r); (1 + sqrt(5) r + 5 r^2/3)
/// exp(-sqrt(5) r).
struct Covariance {
    enum class Kind { squared_exponential, matern32, matern52 };

    Kind kind = Kind::squared_exponential;
    double length_scale = 1; ///< l
    double amplitude = 1;    ///< sigma

    /// a, b: inputs x points. The result has a row for each point of a and a column for each point of b.
    Matrix between(const Matrix& a, const Matrix& b) const;
    /// Covariance of a point with itself, the same for all points.
    double variance() const { return amplitude * amplitude; }
};

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
