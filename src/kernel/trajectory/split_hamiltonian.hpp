#pragma once
/// Hamiltonian Monte Carlo by exact rotations of a normal distribution and kicks of the rest.

#include "kernel/trajectory/hamiltonian.hpp"

namespace pearlite::kernel {

/// Split Hamiltonian Monte Carlo (Shahbaba, Lan, Johnson & Neal 2014, section 3): Hamiltonian's trajectories, with
/// steps that are exact for the normal distribution N(m, C), C = L L', of the population's mean and covariance. In w =
/// L^-1 (x - m), a step of size eps is
///
///     v += (eps/2) (L' grad log f_b(x) + w);   (w, v) = (w cos eps + v sin eps, v cos eps - w sin eps);   x = m + L w
///     v += (eps/2) (L' grad log f_b(x) + w)
///
/// The kicks are those of f_b over the normal density. The nearer f_b is to it, the longer the steps that follow the
/// wanted acceptance: up to a quarter of a turn, or a whole trajectory.
class SplitHamiltonian : public Hamiltonian {
  public:
    /// The path must be linear and offer model::DensityGradient.
    SplitHamiltonian(Path path, const MoveSettings& moves, const Matrix* learnt = nullptr,
                     Covariance covariance = Covariance::automatic, const Trajectory& trajectory = {});
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<SplitHamiltonian>(*this); }

  protected:
    void return_to_start(Trajectories& t) const override;
    void follow(Trajectories& t, double b, const Steps& steps) const override;

  private:
    void kick(Trajectories& t, double size) const;
};

} // namespace pearlite::kernel
