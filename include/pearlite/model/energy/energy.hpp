#pragma once
/// Energies to be minimised, or sampled from at a temperature: f(x) proportional to exp(-U(x) / tau) on a box.

#include "pearlite/core/detail/lane_padding.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <concepts>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::model {

/// Chains in vector lanes: d x p, a chain per column, stored row by row, so that one coordinate of all chains is
/// contiguous.
using LaneMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// U(x) over a box in R^d. energy(x) may be +inf: such points are outside the space. lower() and upper() have length
/// d and may be infinite.
template <class E>
concept Energy = requires(const E& energy, std::span<const double> x, Fingerprint& fingerprint) {
    { energy.dimension() } -> std::convertible_to<Index>;
    { energy.energy(x) } -> std::convertible_to<double>;
    { energy.lower() } -> std::convertible_to<std::span<const double>>;
    { energy.upper() } -> std::convertible_to<std::span<const double>>;
    energy.fingerprint(fingerprint);
};

/// Optional: energies(points, out), the energies of p chains in lanes, p a multiple of lane_padding. The bits of a
/// chain's energy depend neither on its neighbours nor on p.
template <class E>
concept HasLaneEnergies = Energy<E> && requires(const E& energy, const LaneMatrix& points, std::span<double> out) {
    energy.energies(points, out);
};

/// Optional: gradient(x, g) writes dU/dx, length d.
template <class E>
concept HasEnergyGradient = Energy<E> &&
    requires(const E& energy, std::span<const double> x, std::span<double> gradient) {
    energy.gradient(x, gradient);
};

/// Optional: energy_with_gradient(x, g), both at once, for descents; the energy may differ from energy(x) by roundings.
template <class E>
concept HasEnergyWithGradient = HasEnergyGradient<E> &&
    requires(const E& energy, std::span<const double> x, std::span<double> gradient) {
    { energy.energy_with_gradient(x, gradient) } -> std::convertible_to<double>;
};

/// Optional, for discrete energies too: the global minimum where it is known.
template <class E>
concept HasKnownMinimum = requires(const E& energy) {
    { energy.known_minimum() } -> std::convertible_to<std::optional<double>>;
};
template <class E>
std::optional<double> known_minimum_of(const E& energy) {
    if constexpr (HasKnownMinimum<E>)
        return energy.known_minimum();
    else
        return {};
}

/// Optional: log_region_masses(points, temperature), the logarithms of the masses of the m + 1 regions that m energies
/// in ascending order cut the states into, under exp(-U / temperature), as shares of all; empty where they are not
/// known. A search compares its learnt masses with them.
template <class E>
concept HasRegionMasses = requires(const E& energy, std::span<const double> points, double temperature) {
    { energy.log_region_masses(points, temperature) } -> std::same_as<std::vector<double>>;
};

/// Optional: the energy is that of a molecule's conformation; coordinates(x) are the places of its beads, one per row.
template <class E>
concept HasConformations = requires(const E& energy, std::span<const double> x) {
    { energy.coordinates(x) } -> std::convertible_to<Matrix>;
};

/// Optional: is_periodic(), whether U has the period upper() - lower() in each coordinate, as it has in angles.
/// Descents then go round.
template <class E>
concept HasPeriodicBox = Energy<E> && requires(const E& energy) {
    { energy.is_periodic() } -> std::convertible_to<bool>;
};
template <Energy E>
bool is_periodic(const E& energy) {
    if constexpr (HasPeriodicBox<E>)
        return energy.is_periodic();
    else
        return false;
}

/// Optional: start_lower() and start_upper(), the box in which chains start, uniformly, if the domain reaches so far
/// that its energies are of no use.
template <class E>
concept HasStartBox = Energy<E> && requires(const E& energy) {
    { energy.start_lower() } -> std::convertible_to<std::span<const double>>;
    { energy.start_upper() } -> std::convertible_to<std::span<const double>>;
};

} // namespace pearlite::model
