#pragma once
/// Hamiltonian Monte Carlo and its one-step form, the Metropolis-adjusted Langevin algorithm.

#include "kernel/density/density_kernel.hpp"
#include "kernel/trajectory/trajectories.hpp"
#include "pearlite/model/detail/density_functions.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

namespace pearlite::kernel {

/// Lengths of trajectories.
struct Trajectory {
    double length = std::numbers::pi / 2; ///< in the mean, in units of the population's standard deviations
    double acceptance = 0.8;              ///< wanted
    Index most_steps = 200;               ///< a trajectory never has more; 1: the Langevin algorithm
    Index retries = 3;                    ///< of a trajectory whose energy error is too large, in finer steps
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
///
/// One eps does not suit all places, as in the neck of a funnel or a far tail, where every trajectory would be
/// rejected. So a trajectory with |H' - H| above `largest_error` is not the proposal: one with 2 l steps of eps/4 from
/// the same start is tried, then 4 l steps of eps/16. The first whose error is small enough makes the proposal, if
/// all trajectories that came before it fail from its end, too, with the velocity turned; else there is none. Start and
/// end then choose each other, and p_b stays invariant (the step size is a function of position and velocity:
/// Bou-Rabee, Carpenter & Marsden 2024; Biron-Lattes et al. 2024). Where eps suits, no trajectory fails, and nothing is
/// computed again.
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
    /// Returns the number of accepted proposals in steps of full size, which the step size follows.
    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;

    /// The largest |H' - H| of a proposal; one with H' - H = 5 would be rejected 149 times in 150.
    static constexpr double largest_error = 5;

  protected:
    struct Steps {
        Index number;
        double size;
    };

    void prepare() override;

    /// Trajectories return to their starts, with the velocities that they have.
    virtual void return_to_start(Trajectories& t) const;
    /// Steps from the points: points, velocities and forces change, and the logs become those at the end.
    virtual void follow(Trajectories& t, double b, const Steps& steps) const;
    /// Points that are not finite return to their starts, with infinite velocities.
    static void keep_finite(Trajectories& t);
    Index draw_length(const model::BlockStreams& streams) const;
    /// Trajectories at the block's points, with the block's normals as velocities.
    void begin(const model::DensityBlock& block) const;
    /// Completes log ratios that hold the decrease of the kinetic energy.
    void add_densities(Trajectories& t, double b) const;
    /// Accepts the proposals trajectories_ or rejects them; the block's normals are used up. Returns the number of
    /// those accepted that are not `retried`, empty if none is.
    Index accept(model::DensityBlock& block, double b, const model::BlockStreams& streams,
                 const std::vector<Index>& retried = {}) const;
    /// Rejects the flights of a retry whose ends would have chosen coarser steps.
    virtual void reject_other_choices(Trajectories& flights, double b, Index retry, Index length) const;
    /// The forces at the points, and the logs if they are wanted.
    void evaluate(Trajectories& t, double b, bool with_logs) const;

    // Scratch memory of the block at hand.
    // NOLINTBEGIN(misc-non-private-member-variables-in-classes)
    mutable Matrix force_; ///< at the block's points, d x padded
    mutable Trajectories trajectories_;
    // NOLINTEND(misc-non-private-member-variables-in-classes)

  private:
    void kick(Trajectories& t, double size) const;
    /// From start to end, with log ratios.
    void fly(Trajectories& t, double b, const Steps& steps) const;
    /// Steps of the retry with this number, from 1; those of the first trajectory are of number 0.
    Steps steps_of(Index retry, Index length) const;
    /// Tries `failed` trajectories again, in finer steps; those that fail or do not choose their start have log ratios
    /// of -inf in the end.
    void retry(const model::DensityBlock& block, double b, Index length, std::vector<Index> failed) const;

    const model::DensityGradient* gradient_;
    Trajectory trajectory_;
    double steps_ = 1; ///< length/eps, the mean number of steps
    mutable Trajectories again_, back_;
    mutable Vector log_prior_, log_likelihood_;
};

} // namespace pearlite::kernel
