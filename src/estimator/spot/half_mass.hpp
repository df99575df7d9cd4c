#pragma once
/// The half-mass ellipsoid of a peak, and the integral of a density over it.
///
///     E = {x: |L^-1 (x - m)|^2 <= c},  c near the median of chi^2 with d degrees of freedom
///     Z_E = int_E f(x) dx = mean f(x)/q(x) over draws x of q,  q = N(m, L L') given E
///
/// m: a maximum of f; L L': the inverse of the curvature of -log f there. Z_E is unbiased for any f, m and L, and a
/// lower bound of the integral of f; where f is near to normal around m, f/q hardly varies.
///
/// Beyond E, out to a thousand times its size, with directions u, |u| = 1, and S the surface of the unit sphere:
///
///     Z_B = S |L| mean_u int f(m + r L u) r^d d(log r),  by steps h in log r that begin at U h, U ~ U(0, 1)
///
/// Unbiased too: it finds the wide peak around a narrow one, which has no maximum of its own.

#include "pearlite/random/stream.hpp"

#include <span>

namespace pearlite::estimator {

class HalfMass {
  public:
    /// m (d); L, d x d, lower triangular, its diagonal positive.
    HalfMass(Vector centre, Matrix factor);

    Index dimension() const { return centre_.size(); }
    const Vector& centre() const { return centre_; }
    /// Whether x (d) is in E.
    bool holds(std::span<const double> x) const;
    /// A draw x of q (d); returns log q(x).
    double draw(random::Stream& stream, std::span<double> x) const;
    /// Points on both sides of a line through m in a random direction; a multiple of n_together, enough that steps are
    /// 0.7 standard deviations of log r of a normal distribution. The sum of f(x_i) e^{log_weights(i)} is Z_B on
    /// average.
    struct Line {
        Matrix points; ///< d x n
        Vector log_weights;
    };
    Line line(random::Stream& stream, Index n_together) const;
    Index points_of_line(Index n_together) const;

  private:
    Vector centre_;
    Matrix factor_;
    double square_radius_; ///< c
    double log_constant_;  ///< log q(x) + |L^-1 (x - m)|^2/2
};

/// log Z_E with its relative standard error.
struct SpotIntegral {
    double log_value = 0;
    double relative_error = 0;
};

/// From log f(x)/q(x) of n >= 2 draws; log_value is log_zero where f is zero at all of them. The error of few draws is
/// larger by Student's t at the limit of a contradiction.
SpotIntegral integral_of(std::span<const double> log_ratios);

} // namespace pearlite::estimator
