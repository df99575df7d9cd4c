#pragma once
/// A Riemannian metric at one point.

#include "pearlite/model/detail/density_functions.hpp"

#include <cmath>

namespace pearlite::kernel {

/// G(x) at one point, with its Cholesky factor L and, once they are asked for, its derivatives.
class LocalMetric {
  public:
    LocalMetric(const model::DensityMetric& metric, Index dimension);

    /// Takes G from x. Returns whether it is finite and positive definite; else nothing below means anything.
    bool move_to(const Vector& x, double b);
    /// Takes the derivatives of G from the x of the last move_to(). Returns whether they are finite.
    bool differentiate();

    /// (1/2) log det G.
    double half_log_determinant() const { return factor_.diagonal().array().log().sum(); }
    /// G^-1 p.
    void velocity(const Vector& p, Vector& out) const;
    /// L z, a draw from N(0, G) if z is one from N(0, I).
    Vector momentum(const Vector& z) const;
    /// p' G^-1 p.
    double momentum_square(const Vector& p) const;
    /// The lengths of a shift of the point in units of local standard deviations, and of one of the momentum.
    double length(const Vector& shift) const;
    double momentum_length(const Vector& shift) const { return std::sqrt(momentum_square(shift)); }

    /// (1/2) tr(G^-1 dG/dx_k), k = 0 .. d - 1: the gradient of half_log_determinant(). After differentiate().
    const Vector& volume_slope() const { return volume_slope_; }
    /// Column k of the result: dG/dx_k v. After differentiate().
    Eigen::Map<const Matrix> changes(const Vector& v) const;
    /// factor v' dG/dx_k v, k = 0 .. d - 1. After differentiate().
    Vector quadratic_changes(double factor, const Vector& v) const;
    /// G^-1 a.
    void solve(Matrix& a) const;

  private:
    /// With predictors J and slopes s of their weights, dG/dx_k = J' diag(s_n J_nk) J.
    void differentiate_weights();

    const model::DensityMetric* metric_;
    const Matrix* predictors_; ///< null: the metric is of no such form
    double b_ = 0;
    Vector x_, volume_slope_;
    Matrix g_, factor_;
    Vector weights_, slopes_;
    Matrix derivatives_;     ///< d x d^2: dG/dx_k in columns k d .. k d + d - 1; without predictors
    mutable Vector product_; ///< d^2
};

} // namespace pearlite::kernel
