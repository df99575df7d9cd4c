#pragma once
/// Interface of an energy on a box, for the search space that is compiled once for all energies.

#include "pearlite/core/detail/point_error.hpp"
#include "pearlite/model/energy/detail/descent.hpp"
#include "pearlite/model/energy/energy.hpp"
#include "pearlite/model/energy/local_moves.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace pearlite::kernel {

/// One virtual call serves all chains; the members mean what they mean in the concept Energy.
class BoxFunctions : public model::Descent {
  public:
    virtual Index dimension() const = 0;
    /// The energies of the first n columns at least; `out` has an element for each column.
    virtual void energies(const model::LaneMatrix& points, Index n, std::span<double> out) const = 0;
    /// The box in which chains start.
    virtual std::span<const double> start_lower() const = 0;
    virtual std::span<const double> start_upper() const = 0;
    virtual std::optional<double> known_minimum() const = 0;
    /// Empty where they are not known.
    virtual std::vector<double> log_region_masses(std::span<const double> /*points*/, double /*temperature*/) const {
        return {};
    }
    virtual void fingerprint(model::Fingerprint& fingerprint) const = 0;
};

/// An energy without members beyond those of BoxFunctions; each other energy has a BoxSpace compiled for it.
template <class E>
concept HasBoxFunctions = model::Energy<E> && !model::HasLocalMoves<E> && !model::HasConformations<E>;

template <HasBoxFunctions E>
class BoxFunctionsOf final : public BoxFunctions {
  public:
    explicit BoxFunctionsOf(E energy) : energy_(std::move(energy)) {}

    Index dimension() const override { return energy_.dimension(); }
    std::span<const double> lower() const override { return energy_.lower(); }
    std::span<const double> upper() const override { return energy_.upper(); }
    bool is_periodic() const override { return model::is_periodic(energy_); }
    double energy(std::span<const double> x) const override { return energy_.energy(x); }
    bool has_gradient() const override { return model::HasEnergyGradient<E>; }
    void gradient(std::span<const double> x, std::span<double> gradient) const override {
        if constexpr (model::HasEnergyGradient<E>)
            energy_.gradient(x, gradient);
        else
            throw ContractViolation("this energy has no gradient");
    }
    bool has_energy_with_gradient() const override { return model::HasEnergyWithGradient<E>; }
    double energy_with_gradient(std::span<const double> x, std::span<double> slope) const override {
        if constexpr (model::HasEnergyWithGradient<E>)
            return energy_.energy_with_gradient(x, slope);
        else
            return Descent::energy_with_gradient(x, slope);
    }

    void energies(const model::LaneMatrix& points, Index n, std::span<double> out) const override {
        if constexpr (model::HasFirstEnergies<E>) {
            energy_.first_energies(points, n, out);
        } else if constexpr (model::HasLaneEnergies<E>) {
            energy_.energies(points, out);
        } else {
            std::vector<double> x(static_cast<std::size_t>(points.rows()));
            const auto visit = [&](Index i) {
                const double* from = points.data() + i;
                for (double& coordinate : x) {
                    coordinate = *from;
                    from += points.cols();
                }
                out[static_cast<std::size_t>(i)] = energy_.energy(x);
            };
            at_each_point(n, visit, [&](Index) { return listed_coordinates(x); });
        }
    }

    std::span<const double> start_lower() const override {
        if constexpr (model::HasStartBox<E>)
            return energy_.start_lower();
        else
            return energy_.lower();
    }
    std::span<const double> start_upper() const override {
        if constexpr (model::HasStartBox<E>)
            return energy_.start_upper();
        else
            return energy_.upper();
    }
    std::optional<double> known_minimum() const override { return model::known_minimum_of(energy_); }
    std::vector<double> log_region_masses([[maybe_unused]] std::span<const double> points,
                                          [[maybe_unused]] double temperature) const override {
        if constexpr (model::HasRegionMasses<E>)
            return energy_.log_region_masses(points, temperature);
        else
            return {};
    }
    void fingerprint(model::Fingerprint& fingerprint) const override { energy_.fingerprint(fingerprint); }

  private:
    E energy_;
};

} // namespace pearlite::kernel
