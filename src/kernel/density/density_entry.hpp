#pragma once
/// The common part of the entries of kernels of densities: the keys that all of them have.

#include "kernel/density/shape.hpp"
#include "kernel/registry.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <memory>
#include <utility>

namespace pearlite::kernel {

class DensityFactory : public KernelFactory {
  public:
    /// Lists the keys of the kernel as part of another one, which has the covariance.
    virtual void own_keys(Keys&) {}
    void keys(Keys& k) override {
        k("covariance", covariance_,
          {{"auto", Covariance::automatic, "full up to 200 dimensions and with more than 5 particles for each"},
           {"full", Covariance::full},
           {"diagonal", Covariance::diagonal}},
          "part of the population's covariance that scales proposals");
        own_keys(k);
    }

  protected:
    Covariance covariance() const { return covariance_; }
    static std::shared_ptr<const path::DensityPath> density_path(std::shared_ptr<const model::Target> target) {
        const auto* path = target->offers<path::DensityPath>();
        return {std::move(target), path};
    }

  private:
    Covariance covariance_ = Covariance::automatic;
};

/// A kernel without further keys.
template <class K>
std::shared_ptr<KernelFactory> density_factory() {
    class Factory final : public DensityFactory {
        std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                     const Matrix* learnt) const override {
            return std::make_unique<K>(density_path(std::move(target)), moves, learnt, covariance());
        }
    };
    return std::make_shared<Factory>();
}

} // namespace pearlite::kernel
