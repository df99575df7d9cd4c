#pragma once
/// Hamiltonian Monte Carlo and its one-step form, the Metropolis-adjusted Langevin algorithm.

#include "kernel/density/density_kernel.hpp"
#include "pearlite/model/detail/density_functions.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace pearlite::kernel {

/// Lengths of trajectories.
struct Trajectory {
    double length = std::numbers::pi / 2; ///< in the mean, in units of the population's standard deviations
    double acceptance = 0.8;              ///< wanted
    Index most_steps = 200;               ///< a trajectory never has more; 1: the Langevin algorithm
};

/// Leapfrog steps of size eps for H(x, p) = -log f_b(x) + p' C p/2, C = L L' the population's covariance (Duane et al.
/// 1987; Neal 2011). With p = L^-T v the momenta are v ~ N(0, I), and a step is
///
///     v += (eps/2) L' grad log f_b(x);   x += eps L v;   v += (eps/2) L' grad log f_b(x)
///
/// l steps make a proposal, accepted with probability min(1, e^{H - H'}); a log density of -inf or NaN is rejected.
/// eps l is a given length in the mean, by default a quarter of a period of N(0, C), after which the position is
/// independent of the start: l is the whole number nearest to (1/2 + u) length/eps, u uniform on (0, 1) and drawn for a
/// whole block at once without regard to its states. u keeps trajectories from returning in step, and so near a quarter
/// of a period squares, as in -log f_b, are almost independent of the start, too: with u from 0 to the same mean they
/// keep twice as much of it. eps follows the acceptance.
class Hamiltonian : public DensityKernel {
  public:
    /// The path must be linear and offer model::DensityGradient.
    Hamiltonian(Path path, const MoveSettings& moves, const Matrix* learnt = nullptr,
                Covariance covariance = Covariance::automatic, const Trajectory& trajectory = {},
                double longest_step = std::numeric_limits<double>::infinity());
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Hamiltonian>(*this); }

    /// Gradients for each transition, in the mean.
    double evaluations_per_move() const override { return std::max(1.0, steps_); }

    void begin_block(model::DensityBlock& block, double b) const override;
    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;

  protected:
    void prepare() override;

    /// block.proposals and the proposed gradients become those of the points.
    virtual void begin_trajectory(model::DensityBlock& block) const;
    /// l steps from block.proposals with velocities block.normals: both change, and the proposed logs and
    /// gradients become those at the end.
    virtual void follow_trajectory(model::DensityBlock& block, double b, Index l) const;
    /// Proposals that are not finite become the points, with infinite velocities.
    static void keep_finite(model::DensityBlock& block);
    Index draw_length(const model::BlockStreams& streams) const;
    /// Accepts each proposal or rejects it. scratch_.kinetic is by how much the kinetic energy has fallen; the momenta
    /// are used up.
    Index accept(model::DensityBlock& block, double b, const model::BlockStreams& streams) const;
    /// The proposed gradients, and the proposed logs if they are wanted.
    void evaluate_proposals(model::DensityBlock& block, double b, bool with_logs) const;

    /// Scratch memory of the block at hand.
    struct Scratch {
        /// Gradients of log f_b at the points and at the proposals, d x padded, from DensityGradient::evaluate_force.
        Matrix gradient, proposed_gradient;
        Matrix moved; ///< d x padded
        Vector log_prior, log_likelihood, kinetic;
    };
    mutable Scratch scratch_; // NOLINT(misc-non-private-member-variables-in-classes)

  private:
    void kick(model::DensityBlock& block, double size) const;

    const model::DensityGradient* gradient_;
    Trajectory trajectory_;
    double steps_ = 1; ///< length/eps, the mean number of steps
};

} // namespace pearlite::kernel
