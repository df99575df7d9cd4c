#pragma once
/// Covariance functions of Gaussian processes (Rasmussen & Williams 2006, section 4.2).

#include "pearlite/core/types.hpp"

namespace pearlite::models {

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

} // namespace pearlite::models
