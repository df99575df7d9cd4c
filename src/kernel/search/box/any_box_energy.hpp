#pragma once
/// BoxFunctions as the energy of a BoxSpace.

#include "pearlite/kernel/detail/box_functions.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace pearlite::kernel {

/// Fulfils Energy; descents see it as it is.
class AnyBoxEnergy final : public model::Descent {
  public:
    explicit AnyBoxEnergy(std::shared_ptr<const BoxFunctions> functions) : functions_(std::move(functions)) {}

    Index dimension() const { return functions_->dimension(); }
    std::span<const double> lower() const override { return functions_->lower(); }
    std::span<const double> upper() const override { return functions_->upper(); }
    bool is_periodic() const override { return functions_->is_periodic(); }
    double energy(std::span<const double> x) const override { return functions_->energy(x); }
    bool has_gradient() const override { return functions_->has_gradient(); }
    void gradient(std::span<const double> x, std::span<double> gradient) const override {
        functions_->gradient(x, gradient);
    }
    bool has_energy_with_gradient() const override { return functions_->has_energy_with_gradient(); }
    double energy_with_gradient(std::span<const double> x, std::span<double> slope) const override {
        return functions_->energy_with_gradient(x, slope);
    }

    void energies(const model::LaneMatrix& points, std::span<double> out) const {
        functions_->energies(points, points.cols(), out);
    }
    void first_energies(const model::LaneMatrix& points, Index n, std::span<double> out) const {
        functions_->energies(points, n, out);
    }
    std::span<const double> start_lower() const { return functions_->start_lower(); }
    std::span<const double> start_upper() const { return functions_->start_upper(); }
    std::optional<double> known_minimum() const { return functions_->known_minimum(); }
    std::vector<double> log_region_masses(std::span<const double> points, double temperature) const {
        return functions_->log_region_masses(points, temperature);
    }
    void fingerprint(model::Fingerprint& fingerprint) const { functions_->fingerprint(fingerprint); }

  private:
    std::shared_ptr<const BoxFunctions> functions_;
};

} // namespace pearlite::kernel
