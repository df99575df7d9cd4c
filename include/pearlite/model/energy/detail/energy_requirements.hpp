#pragma once
/// Compile-time checks of a user's own energy, with one message for each missing member.

#include "pearlite/model/energy/discrete_energy.hpp"
#include "pearlite/model/energy/energy.hpp"

#include <concepts>
#include <optional>

namespace pearlite::model {

/// The kind of an energy follows from a member that no other kind has.
template <class E>
concept LooksCategorical = requires {
    &E::levels;
};
template <class E>
concept LooksContinuous = !LooksCategorical<E> && requires {
    &E::dimension;
};
template <class E>
concept LooksLikePermutations = !LooksCategorical<E> && !LooksContinuous<E> && requires {
    &E::size;
};

/// An energy of any of the three kinds.
template <class E>
concept AnyEnergy = (LooksCategorical<E> && CategoricalEnergy<E>) ||
                    (LooksLikePermutations<E> && PermutationEnergy<E>) || (LooksContinuous<E> && Energy<E>);

namespace detail {

template <class E>
constexpr void require_box_energy() {
    using Point = std::span<const double>;
    static_assert(
        requires(const E& energy) {
            { energy.dimension() } -> std::convertible_to<Index>;
        },
        "this model has a dimension() that is not: pearlite::Index dimension() const");
    static_assert(
        requires(const E& energy, Point x) {
            { energy.energy(x) } -> std::convertible_to<double>;
        },
        "this model lacks: double energy(std::span<const double> x) const");
    static_assert(
        requires(const E& energy) {
            { energy.lower() } -> std::convertible_to<Point>;
        },
        "this model lacks: std::span<const double> lower() const  (the box's lower ends, one per dimension)");
    static_assert(
        requires(const E& energy) {
            { energy.upper() } -> std::convertible_to<Point>;
        },
        "this model lacks: std::span<const double> upper() const  (the box's upper ends, one per dimension)");
    if constexpr (Energy<E>) {
        static_assert(
            HasLaneEnergies<E> || !requires { &E::energies; },
            "this model has an energies() that is not: void energies(const pearlite::model::LaneMatrix& points, "
            "std::span<double> out) const");
        static_assert(
            HasEnergyGradient<E> || !requires { &E::gradient; },
            "this model has a gradient() that is not: void gradient(std::span<const double> x, std::span<double> "
            "gradient) const");
        static_assert(
            HasStartBox<E> || !(
                                  requires { &E::start_lower; } || requires { &E::start_upper; }),
            "this model has half of a box to start in, expected both: std::span<const double> start_lower() const and "
            "std::span<const double> start_upper() const");
    }
}

template <class E>
constexpr void require_categorical_energy() {
    static_assert(
        requires(const E& energy) {
            { energy.levels() } -> std::convertible_to<std::span<const std::int32_t>>;
        },
        "this model has a levels() that is not: std::span<const std::int32_t> levels() const");
    static_assert(
        requires(const E& energy, std::span<const std::int32_t> x) {
            { energy.energy(x) } -> std::convertible_to<double>;
        },
        "this model lacks: double energy(std::span<const std::int32_t> x) const");
    if constexpr (CategoricalEnergy<E>)
        static_assert(
            HasSiteChange<E> || !requires { &E::change; },
            "this model has a change() that is not: double change(std::span<const std::int32_t> x, "
            "pearlite::Index site, std::int32_t value) const");
}

template <class E>
constexpr void require_permutation_energy() {
    static_assert(
        requires(const E& energy) {
            { energy.size() } -> std::convertible_to<Index>;
        },
        "this model has a size() that is not: pearlite::Index size() const");
    static_assert(
        requires(const E& energy, std::span<const std::int32_t> x) {
            { energy.energy(x) } -> std::convertible_to<double>;
        },
        "this model lacks: double energy(std::span<const std::int32_t> permutation) const");
    if constexpr (PermutationEnergy<E>) {
        static_assert(
            HasSwapChange<E> || !requires { &E::swap_change; },
            "this model has a swap_change() that is not: double swap_change(std::span<const std::int32_t> "
            "permutation, pearlite::Index i, pearlite::Index j) const");
        static_assert(
            HasInsertionChange<E> || !requires { &E::insertion_change; },
            "this model has an insertion_change() that is not: double insertion_change(std::span<const std::int32_t> "
            "permutation, pearlite::Index from, pearlite::Index to) const");
        static_assert(
            HasReversalChange<E> || !requires { &E::reversal_change; },
            "this model has a reversal_change() that is not: double reversal_change(std::span<const std::int32_t> "
            "permutation, pearlite::Index first, pearlite::Index last) const");
    }
}

template <class E>
constexpr void require_energy_of_any_kind() {
    static_assert(
        requires(const E& energy, Fingerprint& fingerprint) { energy.fingerprint(fingerprint); },
        "this model lacks: void fingerprint(pearlite::model::Fingerprint& fingerprint) const  (adds whatever defines "
        "it: a checkpoint of another one is refused)");
    static_assert(
        HasKnownMinimum<E> || !requires { &E::known_minimum; },
        "this model has a known_minimum() that is not: std::optional<double> known_minimum() const");
    static_assert(
        HasRegionMasses<E> || !requires { &E::log_region_masses; },
        "this model has a log_region_masses() that is not: std::vector<double> "
        "log_region_masses(std::span<const double> points, double temperature) const");
}

} // namespace detail

/// Reports each member that an energy lacks (Energy, CategoricalEnergy or PermutationEnergy), and each optional member
/// that has the right name but another form, and would silently not be used.
template <class E>
constexpr void require_energy() {
    constexpr bool has_kind = LooksCategorical<E> || LooksLikePermutations<E> || LooksContinuous<E>;
    static_assert(has_kind,
                  "this model lacks what its energy is of: pearlite::Index dimension() const  (points of a box), or "
                  "std::span<const std::int32_t> levels() const  (a few values a site), or pearlite::Index size() "
                  "const  (permutations)");
    if constexpr (has_kind)
        detail::require_energy_of_any_kind<E>();
    if constexpr (LooksContinuous<E>)
        detail::require_box_energy<E>();
    else if constexpr (LooksCategorical<E>)
        detail::require_categorical_energy<E>();
    else if constexpr (LooksLikePermutations<E>)
        detail::require_permutation_energy<E>();
}

} // namespace pearlite::model
