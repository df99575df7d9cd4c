#pragma once
/// Random-walk Metropolis on R^d with a proposal scaled to the population.

#include "kernel/density/density_kernel.hpp"

namespace pearlite::kernel {

/// x' = x + s L z, z ~ N(0, I), L L' = covariance of the population; accepted with probability min(1, f_b(x')/f_b(x)).
///
/// s = 2.38/sqrt(d) (Roberts, Gelman & Gilks 1997). Where the number of moves is automatic, or the shape is diagonal,
/// so that it may not fit, s follows the acceptance towards its best value for that s.
class RandomWalk : public DensityKernel {
  public:
    /// `learnt` as learnt() of such a kernel; null: online.
    RandomWalk(Path path, const MoveSettings& moves, const Matrix* learnt = nullptr,
               Covariance covariance = Covariance::automatic);
    /// A fixed number of moves, online.
    RandomWalk(Path path, Index moves) : RandomWalk(std::move(path), MoveSettings{.number = moves}) {}
    RandomWalk(Path path, Index moves, const Matrix& learnt)
        : RandomWalk(std::move(path), MoveSettings{.number = moves}, &learnt) {}
    /// Steps `factor` z at every temperature; d x d, lower triangular.
    static RandomWalk constant(Path path, Index moves, const Matrix& factor);
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<RandomWalk>(*this); }

    /// s L.
    Matrix factor() const { return scale() * proposal_shape().factor(); }
    void set_factor(const Matrix& factor) { set_shape({Vector::Zero(factor.rows()), factor}); }

    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;
    bool tunes_scale() const override { return is_automatic() || proposal_shape().is_diagonal(); }

  private:
    RandomWalk(Path path, const Settings& settings, Shape shape);
};

/// s L with L L' = covariance and s = 2.38/sqrt(d); see covariance_factor(). `fallback` holds steps.
Matrix random_walk_factor(const Matrix& covariance, const Matrix& fallback);

} // namespace pearlite::kernel
