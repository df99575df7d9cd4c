#pragma once
/// Riemannian manifold Hamiltonian Monte Carlo: the target's own metric takes the place of a mass.

#include "kernel/trajectory/hamiltonian.hpp"
#include "kernel/trajectory/local_metric.hpp"

#include <vector>

namespace pearlite::kernel {

/// A step of the generalised leapfrog for one point (Girolami & Calderhead 2011, equations 16 to 18),
///
///     p_h = p - (eps/2) dH/dx(x, p_h)
///     x'  = x + (eps/2) (G(x)^-1 + G(x')^-1) p_h
///     p'  = p_h - (eps/2) dH/dx(x', p_h)
///
/// with dH/dx_k = -d log f_b/dx_k + (1/2) tr(G^-1 dG_k) - (1/2) p' G^-1 dG_k G^-1 p. The first two equations are solved
/// to 1e-10 in units of the local standard deviations, by Newton's iteration with the derivatives at x throughout: a
/// fixed-point iteration whose error shrinks by a factor of order eps^2 each time.
class GeneralisedLeapfrog {
  public:
    GeneralisedLeapfrog(const model::DensityMetric& metric, Index dimension);

    /// The metric and its derivatives at x, to be taken before a step from x or to x. Returns whether they are usable.
    bool move_to(const Vector& x, double b);
    /// (1/2) log det G + (1/2) p' G^-1 p at the x of move_to().
    double kinetic(const Vector& p) const;
    /// L z at the x of move_to(), G = L L'.
    Vector momentum(const Vector& z) const { return here_.momentum(z); }

    /// The first two equations: p becomes p_h, and x, that of move_to(), becomes x'. Returns whether both iterations
    /// have converged.
    bool leave(Vector& x, Vector& p, const Vector& gradient, double eps);
    /// The third equation at x', that of move_to(): p becomes p'. `from` is the x that was left. Returns whether a step
    /// of -eps leads back to it and to p_h.
    bool arrive(const Vector& from, const Vector& x, Vector& p, const Vector& gradient, double eps);

  private:
    bool kick(Vector& p, const Vector& gradient, double eps);
    bool drift(Vector& x, const Vector& p, double eps);

    double b_ = 0;
    LocalMetric here_;  ///< at the x of move_to()
    LocalMetric there_; ///< at the points that the second equation's iterations come by
    Vector velocity_, velocity_there_, constant_, next_, half_, back_, momentum_back_;
    Matrix slope_, inverse_slope_;
};

/// Steps of the generalised leapfrog for H(x, p) = -log f_b(x) + (1/2) log det G(x) + (1/2) p' G(x)^-1 p, where G is
/// the metric that the target offers for b (Girolami & Calderhead 2011). Momenta are drawn anew for each transition, p
/// ~ N(0, G(x)). Lengths of trajectories and step sizes are those of Hamiltonian, in units of the metric; the
/// population's shape measures mobility alone.
///
/// A trajectory is rejected if an iteration does not converge, in any of its steps or on the way back of that step, or
/// if the way back ends elsewhere, as it may where the implicit equations have several solutions. The trajectory from
/// the end passes the same checks in the opposite order, so detailed balance holds. Gradients are evaluated for a block
/// at once, metrics for one point at a time.
class Riemannian : public Hamiltonian {
  public:
    /// The path must be linear and offer model::DensityGradient and model::DensityMetric.
    Riemannian(Path path, const MoveSettings& moves, const Matrix* learnt = nullptr,
               Covariance covariance = Covariance::automatic, const Trajectory& trajectory = standard_trajectory());
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Riemannian>(*this); }

    static Trajectory standard_trajectory() { return {.most_steps = 50, .retries = 0}; }

  protected:
    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;

    /// Velocities become momenta at the points.
    void make_momenta(Trajectories& t, double b) const;
    /// l steps of size eps from the points, with momenta in place of velocities: points, momenta and forces change, and
    /// the logs become those at the end. Log ratios are the decrease of the kinetic energy, -infinity for a trajectory
    /// to be rejected.
    void integrate(Trajectories& t, double b, Index l, double eps) const;

  private:
    bool leave(Trajectories& t, Index i, double eps) const;
    bool arrive(Trajectories& t, Index i, double b, double eps) const;

    mutable GeneralisedLeapfrog leapfrog_;
    mutable std::vector<char> is_moving_; ///< whether a particle's trajectory is not rejected so far
    mutable Vector x_, p_, gradient_at_, from_;
};

} // namespace pearlite::kernel
