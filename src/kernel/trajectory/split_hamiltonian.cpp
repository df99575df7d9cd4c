#include "kernel/trajectory/split_hamiltonian.hpp"

#include "kernel/trajectory/trajectory_entry.hpp"

#include <cmath>

namespace pearlite::kernel {

SplitHamiltonian::SplitHamiltonian(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
                                   const Trajectory& trajectory)
    : Hamiltonian(std::move(path), moves, learnt, covariance, trajectory,
                  std::min(trajectory.length, std::numbers::pi / 2)) {}

void SplitHamiltonian::begin_trajectory(model::DensityBlock& block) const {
    Hamiltonian::begin_trajectory(block);
    whitened_ = block.points.colwise() - proposal_shape().mean();
    proposal_shape().whiten(whitened_);
}

void SplitHamiltonian::kick(model::DensityBlock& block, double size) const {
    proposal_shape().scale_transposed(scratch_.proposed_gradient, scratch_.moved);
    block.normals += size * (scratch_.moved + whitened_);
}

void SplitHamiltonian::follow_trajectory(model::DensityBlock& block, double b, Index l) const {
    const double cosine = std::cos(scale()), sine = std::sin(scale());
    kick(block, 0.5 * scale());
    for (Index k = 1; k <= l; ++k) {
        scratch_.moved = cosine * whitened_ + sine * block.normals;
        block.normals = cosine * block.normals - sine * whitened_;
        std::swap(whitened_, scratch_.moved);
        proposal_shape().scale(whitened_, block.proposals);
        block.proposals.colwise() += proposal_shape().mean();
        keep_finite(block);
        evaluate_proposals(block, b, k == l);
        kick(block, k < l ? scale() : 0.5 * scale());
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
