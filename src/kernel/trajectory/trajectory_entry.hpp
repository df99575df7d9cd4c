#pragma once
/// The common part of the entries of kernels whose proposals are the ends of Hamiltonian trajectories.

#include "kernel/density/density_entry.hpp"
#include "kernel/trajectory/hamiltonian.hpp"

#include <memory>
#include <string>
#include <utility>

namespace pearlite::kernel {

/// The keys of trajectories, and kernels K made by them.
template <class K>
class TrajectoryFactory : public DensityFactory {
  public:
    explicit TrajectoryFactory(const Trajectory& trajectory, std::string unit = "the population's standard deviations")
        : trajectory_(trajectory), may_retry_(trajectory.retries > 0), unit_(std::move(unit)) {}

    void own_keys(Keys& k) override {
        k("acceptance", trajectory_.acceptance, between(0, 1), "wanted acceptance, which sets the step size");
        if (trajectory_.most_steps > 1) {
            k("trajectory", trajectory_.length, above(0),
              "length of a trajectory in units of " + unit_ + "; that of each is a random share");
            k("most_steps", trajectory_.most_steps, within(2, 100'000),
              "largest number of leapfrog steps of a trajectory");
        }
        if (may_retry_)
            k("retries", trajectory_.retries, within(0, 10),
              "times that a trajectory of too large an error is tried again, each in steps of a quarter of the size");
    }
    std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                 const Matrix* learnt) const override {
        return make_kernel<K>(std::move(target), moves, learnt);
    }

  protected:
    /// Another kernel with the same keys.
    template <class Other>
    std::unique_ptr<Kernel> make_kernel(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                        const Matrix* learnt) const {
        return std::make_unique<Other>(density_path(std::move(target)), moves, learnt, covariance(), trajectory_);
    }

  private:
    Trajectory trajectory_;
    bool may_retry_;   ///< whatever the key says: a run without retries lists it, too
    std::string unit_; ///< of lengths
};

/// For an entry.
template <class K>
std::shared_ptr<KernelFactory> trajectory_factory(const Trajectory& trajectory,
                                                  std::string unit = "the population's standard deviations") {
    return std::make_shared<TrajectoryFactory<K>>(trajectory, std::move(unit));
}

/// Whether a model meets the requirement of these kernels: points of R^d with a gradient.
inline bool has_gradient(const model::ModelTraits& traits) {
    return traits.continuous && traits.has_gradient.value_or(true);
}

} // namespace pearlite::kernel
