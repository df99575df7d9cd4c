#pragma once
/// Descent to the nearest minimum of an energy on a box, by L-BFGS (Nocedal 1980; libLBFGS).

#include "pearlite/model/energy.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pearlite::kernel {

struct LocalMinimum {
    std::vector<double> x; ///< inside the box
    double energy = 0;
    std::int64_t energies = 0;  ///< computed, those for differences included
    std::int64_t gradients = 0; ///< computed by the energy itself
};

/// An energy as the descent sees it: x has length d; `gradient` writes dU/dx.
struct DescentTarget {
    std::function<double(std::span<const double>)> energy;
    std::function<void(std::span<const double>, std::span<double>)> gradient;
    std::span<const double> lower, upper;
};

/// From `start`, inside the box and with a finite energy. Points outside are taken to their nearest point of the box
/// (so that a minimum may lie on its border), and energies that are +inf or NaN are refused. Never worse than `start`,
/// of all points asked for the best; deterministic. What energy or gradient throws passes through; NumericalError if
/// the library cannot run.
LocalMinimum descend(const DescentTarget& target, std::span<const double> start);

/// Where a descent ends before it has arrived.
struct DescentLimits {
    Index iterations = 0;    ///< of L-BFGS; 0: there is no descent
    double tolerance = 1e-3; ///< |gradient| / max(1, |x|)
};

/// The lowest energy that a descent from `start` meets within the limits, +inf outside the box: a function of `start`
/// alone with the minima of U, but without the barriers that the descent passes (Li & Scheraga 1987; Wales & Doye
/// 1997). NumericalError as above.
double descended_energy(const DescentTarget& target, std::span<const double> start, const DescentLimits& limits);

/// dU/dx by central differences at x, inside the box, with steps of about 6e-6 max(1, |x_k|) that do not leave it: 2 d
/// energies, and an error of some 1e-10 of the energy's scale. One-sided next to a place where the energy is not
/// finite, and 0 between two such places.
void difference_gradient(const DescentTarget& target, std::span<const double> x, std::span<double> gradient);

/// For any energy: by its own gradient, else by differences.
template <model::Energy E>
LocalMinimum descend(const E& energy, std::span<const double> start) {
    std::int64_t energies = 0;
    const auto counted = [&](std::span<const double> x) {
        ++energies;
        return energy.energy(x);
    };
    DescentTarget target{counted, {}, energy.lower(), energy.upper()};
    if constexpr (model::HasEnergyGradient<E>)
        target.gradient = [&](std::span<const double> x, std::span<double> g) { energy.gradient(x, g); };
    else
        target.gradient = [&](std::span<const double> x, std::span<double> g) { difference_gradient(target, x, g); };
    auto minimum = descend(target, start);
    if constexpr (!model::HasEnergyGradient<E>) {
        minimum.energies = energies;
        minimum.gradients = 0;
    }
    return minimum;
}

template <model::Energy E>
double descended_energy(const E& energy, std::span<const double> start, const DescentLimits& limits) {
    DescentTarget target{
        [&](std::span<const double> x) { return energy.energy(x); }, {}, energy.lower(), energy.upper()};
    if constexpr (model::HasEnergyGradient<E>)
        target.gradient = [&](std::span<const double> x, std::span<double> g) { energy.gradient(x, g); };
    else
        target.gradient = [&](std::span<const double> x, std::span<double> g) { difference_gradient(target, x, g); };
    return descended_energy(target, start, limits);
}

} // namespace pearlite::kernel
