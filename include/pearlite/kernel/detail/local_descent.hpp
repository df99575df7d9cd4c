#pragma once
/// Descent to the nearest minimum of an energy on a box, by L-BFGS (Nocedal 1980; libLBFGS).

#include "pearlite/model/energy/detail/descent.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::kernel {

struct LocalMinimum {
    std::vector<double> x; ///< inside the box
    double energy = 0;
    std::int64_t energies = 0;  ///< computed, those for differences included
    std::int64_t gradients = 0; ///< computed by the energy itself
};

/// Descends from `start`, inside the box and with a finite energy, by the energy's own gradient, else by differences.
/// Points outside are moved to the nearest point of the box (so that a minimum may lie on its border), and energies of
/// +inf or NaN are refused. Returns the best of all points evaluated, `start` included; deterministic. Exceptions of
/// energy and gradient pass through; NumericalError if the library cannot run.
LocalMinimum descend(const model::Descent& target, std::span<const double> start);

/// Limits at which a descent ends before it has arrived.
struct DescentLimits {
    Index iterations = 0;    ///< of L-BFGS; 0: there is no descent
    double tolerance = 1e-3; ///< |gradient| / max(1, |x|)
};

/// The lowest energy that a descent from `start` meets within the limits, +inf outside the box: a function of `start`
/// alone with the minima of U, but without the barriers that the descent passes (Li & Scheraga 1987; Wales & Doye
/// 1997). NumericalError as above.
double descended_energy(const model::Descent& target, std::span<const double> start, const DescentLimits& limits);

/// dU/dx by central differences at x, inside the box, with steps of about 6e-6 max(1, |x_k|) that do not leave it: 2 d
/// energies, and an error of some 1e-10 of the energy's scale. One-sided next to a point where the energy is not
/// finite, and 0 between two such points.
void difference_gradient(const model::Descent& target, std::span<const double> x, std::span<double> gradient);

/// The same for energies that are not a Descent themselves.
template <model::Energy E>
requires(!std::derived_from<E, model::Descent>) LocalMinimum descend(const E& energy, std::span<const double> start) {
    return descend(model::DescentOf<E>(energy), start);
}
template <model::Energy E>
requires(!std::derived_from<E, model::Descent>) double descended_energy(const E& energy, std::span<const double> start,
                                                                        const DescentLimits& limits) {
    return descended_energy(model::DescentOf<E>(energy), start, limits);
}

} // namespace pearlite::kernel
