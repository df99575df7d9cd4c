#pragma once
/// log p = log prior + log likelihood of a density at points, as fits of a reference look at it.

#include "pearlite/model/detail/density_functions.hpp"

#include <span>

namespace pearlite::path {

/// Counts the evaluations, one of a gradient as one. Numbers that are not finite count as log p = -inf.
class JointDensity {
  public:
    /// The likelihood must be exact.
    explicit JointDensity(const model::DensityFunctions& density);

    Index dimension() const { return density_.dimension(); }
    /// At the columns of `points`, d x n: n values.
    Vector operator()(const Matrix& points) const;
    double operator()(std::span<const double> x) const;
    /// d log p/dx, the density's own or by central differences with steps of about 6e-6 max(1, |x_k|): one-sided next
    /// to a point where log p is not finite, and 0 between two such points.
    void gradient(std::span<const double> x, std::span<double> gradient) const;
    /// -d2 log p/dx2, d x d, by differences, of gradients if the density has its own, over a tenth of the standard
    /// deviation that the curvature along each axis stands for. Not finite where log p is not finite so near.
    Matrix curvature(const Vector& x) const;
    /// The start of a fit: the first of up to 1000 draws from the prior with a finite log p. NumericalError if none
    /// has.
    Vector start(const random::Seed& seed, Index number) const;

    Index evaluations() const { return evaluations_; }

  private:
    /// Steps along the axes, d.
    Vector steps(const Vector& x) const;
    /// The density's own gradients at the columns of `points`, d x n.
    Matrix gradients(const Matrix& points) const;
    void difference_gradient(const Vector& x, std::span<double> gradient) const;
    Matrix difference_curvature(const Vector& x, const Vector& steps) const;

    const model::DensityFunctions& density_;
    const model::DensityGradient* gradient_; ///< null: none of its own
    mutable Index evaluations_ = 0;
};

} // namespace pearlite::path
