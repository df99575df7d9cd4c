#pragma once
/// An energy on a box as descents to its minima see it.

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
    /// +inf outside the space.
    virtual double energy(std::span<const double> x) const = 0;
    /// The energy has a gradient of its own; else differences must do.
    virtual bool has_gradient() const = 0;
    /// Writes dU/dx. ContractViolation without has_gradient().
    virtual void gradient(std::span<const double> x, std::span<double> gradient) const = 0;
};

/// An energy E, which must outlive this object.
template <Energy E>
class DescentOf final : public Descent {
  public:
    explicit DescentOf(const E& energy) : energy_(energy) {}

    std::span<const double> lower() const override { return energy_.lower(); }
    std::span<const double> upper() const override { return energy_.upper(); }
    double energy(std::span<const double> x) const override { return energy_.energy(x); }
    bool has_gradient() const override { return HasEnergyGradient<E>; }
    void gradient(std::span<const double> x, std::span<double> gradient) const override {
        if constexpr (HasEnergyGradient<E>)
            energy_.gradient(x, gradient);
        else
            throw ContractViolation("this energy has no gradient");
    }

  private:
    const E& energy_;
};

} // namespace pearlite::model
