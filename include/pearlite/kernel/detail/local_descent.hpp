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
/// Points outside are moved to the nearest point of the box (so that a minimum may lie on its border), or come back at
/// its other end where the energy is periodic, and energies of +inf or NaN are refused. Returns the best of all points
/// evaluated, `start` included; deterministic. Exceptions of energy and gradient pass through; NumericalError if the
/// library cannot run.
LocalMinimum descend(const model::Descent& target, std::span<const double> start);

/// How far descents go that belong to a search.
struct DescentLimits {
    Index iterations = 0;     ///< of L-BFGS; 0: there is no descent
    bool moves_state = false; ///< to the lowest point that it meets: basin hopping; else the state stays where it is
    double tolerance = 1e-3;  ///< |gradient| / max(1, |x|), where a descent has arrived
};

/// The lowest point that a descent from `start` meets within the limits; +inf, and `start` itself, outside a box that
/// is not periodic. Its energy is a function of `start` alone with the minima of U, but without the barriers that the
/// descent passes (Li & Scheraga 1987; Wales & Doye 1997). NumericalError as above.
LocalMinimum descend(const model::Descent& target, std::span<const double> start, const DescentLimits& limits);

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
requires(!std::derived_from<E, model::Descent>) LocalMinimum
    descend(const E& energy, std::span<const double> start, const DescentLimits& limits) {
    return descend(model::DescentOf<E>(energy), start, limits);
}

} // namespace pearlite::kernel
