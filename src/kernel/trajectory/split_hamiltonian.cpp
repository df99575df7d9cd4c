#include "kernel/trajectory/split_hamiltonian.hpp"

#include "kernel/trajectory/trajectory_entry.hpp"

#include <cmath>

namespace pearlite::kernel {

SplitHamiltonian::SplitHamiltonian(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
                                   const Trajectory& trajectory)
    : Hamiltonian(std::move(path), moves, learnt, covariance, trajectory,
                  std::min(trajectory.length, std::numbers::pi / 2)) {}

void SplitHamiltonian::return_to_start(Trajectories& t) const {
    Hamiltonian::return_to_start(t);
    t.whitened = t.start.colwise() - proposal_shape().mean();
    proposal_shape().whiten(t.whitened);
}

void SplitHamiltonian::kick(Trajectories& t, double size) const {
    proposal_shape().scale_transposed(t.force, t.moved);
    t.velocities += size * (t.moved + t.whitened);
}

void SplitHamiltonian::follow(Trajectories& t, double b, const Steps& steps) const {
    const auto [l, size] = steps;
    const double cosine = std::cos(size), sine = std::sin(size);
    kick(t, 0.5 * size);
    for (Index k = 1; k <= l; ++k) {
        t.moved = cosine * t.whitened + sine * t.velocities;
        t.velocities = cosine * t.velocities - sine * t.whitened;
        std::swap(t.whitened, t.moved);
        proposal_shape().scale(t.whitened, t.points);
        t.points.colwise() += proposal_shape().mean();
        keep_finite(t);
        evaluate(t, b, k == l);
        kick(t, k < l ? size : 0.5 * size);
    }
}

namespace {

/// HMC by either of its integrators.
class HamiltonianFactory final : public TrajectoryFactory<SplitHamiltonian> {
  public:
    HamiltonianFactory() : TrajectoryFactory({}, "the population's standard deviations") {}

    void own_keys(Keys& k) override {
        TrajectoryFactory::own_keys(k);
        k("integrator", integrator_,
          {{"split", Integrator::split, "rotations that are exact for the normal distribution of the population"},
           {"leapfrog", Integrator::leapfrog}},
          "steps of a trajectory");
    }
    std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                 const Matrix* learnt) const override {
        return integrator_ == Integrator::split ? TrajectoryFactory::make(std::move(target), moves, learnt)
                                                : make_kernel<Hamiltonian>(std::move(target), moves, learnt);
    }

  private:
    enum class Integrator { split, leapfrog };
    Integrator integrator_ = Integrator::split;
};

} // namespace

KernelEntry hamiltonian_entry() {
    return {.name = "hmc",
            .about = "Hamiltonian Monte Carlo by the model's gradient",
            .learns = true,
            .suits = has_gradient,
            .factory = []() -> std::shared_ptr<KernelFactory> { return std::make_shared<HamiltonianFactory>(); }};
}

} // namespace pearlite::kernel
