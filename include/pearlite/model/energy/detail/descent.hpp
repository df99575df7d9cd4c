#pragma once
/// Interface of an energy on a box for descents to its minima.

#include "pearlite/core/error.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <span>

namespace pearlite::model {

/// U(x) on a closed box in R^d; points and bounds have length d.
class Descent {
  public:
    virtual ~Descent() = default;
    virtual std::span<const double> lower() const = 0;
    virtual std::span<const double> upper() const = 0;
    /// As in HasPeriodicBox.
    virtual bool is_periodic() const { return false; }
    /// +inf outside the space.
    virtual double energy(std::span<const double> x) const = 0;
    /// Whether the energy has a gradient; else descents use differences.
    virtual bool has_gradient() const = 0;
    /// Writes dU/dx. ContractViolation without has_gradient().
    virtual void gradient(std::span<const double> x, std::span<double> gradient) const = 0;

    /// As in HasEnergyWithGradient; else there are only the two above.
    virtual bool has_energy_with_gradient() const { return false; }
    /// Both at once; the gradient is written where the energy is finite.
    virtual double energy_with_gradient(std::span<const double> x, std::span<double> slope) const {
        const double value = energy(x);
        if (value < infinity)
            gradient(x, slope);
        return value;
    }
};

/// An energy E, which must outlive this object.
template <Energy E>
class DescentOf final : public Descent {
  public:
    explicit DescentOf(const E& energy) : energy_(energy) {}

    std::span<const double> lower() const override { return energy_.lower(); }
    std::span<const double> upper() const override { return energy_.upper(); }
    bool is_periodic() const override { return model::is_periodic(energy_); }
    double energy(std::span<const double> x) const override { return energy_.energy(x); }
    bool has_gradient() const override { return HasEnergyGradient<E>; }
    void gradient(std::span<const double> x, std::span<double> gradient) const override {
        if constexpr (HasEnergyGradient<E>)
            energy_.gradient(x, gradient);
        else
            throw ContractViolation("this energy has no gradient");
    }
    bool has_energy_with_gradient() const override { return HasEnergyWithGradient<E>; }
    double energy_with_gradient(std::span<const double> x, std::span<double> slope) const override {
        if constexpr (HasEnergyWithGradient<E>)
            return energy_.energy_with_gradient(x, slope);
        else
            return Descent::energy_with_gradient(x, slope);
    }

  private:
    const E& energy_;
};

} // namespace pearlite::model
