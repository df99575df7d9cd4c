#pragma once
/// Energies of discrete states to be minimised, or sampled from at a temperature: f(x) proportional to exp(-U(x)/tau)
/// on vectors of a few values a site, or on permutations.
///
/// Energies that are updated: where an energy offers differences, a chain's energy is its last one plus the difference.
/// If all energies are multiples of one power of 2 below 2^53 times it (integers, say), the sum is exact. Else it
/// drifts by roundings, and is computed in full again after a fixed number of updates (kernel/discrete_chains.hpp).

#include "pearlite/core/types.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <concepts>
#include <cstdint>
#include <span>

namespace pearlite::model {

/// U(x) of n sites, x_i in 0 .. levels()[i] - 1, levels at least 2 (2: a binary site); levels() has length n >= 1 and
/// stays the same. energy(x) may be +inf: such states are outside the space. NaN is a NumericalError of the run.
/// Optional: known_minimum() (model/energy/energy.hpp).
template <class E>
concept CategoricalEnergy = requires(const E& energy, std::span<const std::int32_t> x, Fingerprint& fingerprint) {
    { energy.levels() } -> std::convertible_to<std::span<const std::int32_t>>;
    { energy.energy(x) } -> std::convertible_to<double>;
    energy.fingerprint(fingerprint);
};

/// Optional: change(x, site, value) = U(x') - U(x), where x' is x with x_site = value; +inf if x' is outside. Neither
/// is x outside nor value x_site.
template <class E>
concept HasSiteChange = CategoricalEnergy<E> &&
    requires(const E& energy, std::span<const std::int32_t> x, Index site, std::int32_t value) {
    { energy.change(x, site, value) } -> std::convertible_to<double>;
};

/// U of a permutation of 0 .. size()-1, size() at least 2; otherwise as above.
template <class E>
concept PermutationEnergy = requires(const E& energy, std::span<const std::int32_t> permutation,
                                     Fingerprint& fingerprint) {
    { energy.size() } -> std::convertible_to<Index>;
    { energy.energy(permutation) } -> std::convertible_to<double>;
    energy.fingerprint(fingerprint);
};

/// Optional: swap_change(permutation, i, j) = U(x') - U(x), where x' has the elements at the places i != j exchanged.
template <class E>
concept HasSwapChange = PermutationEnergy<E> &&
    requires(const E& energy, std::span<const std::int32_t> permutation, Index i, Index j) {
    { energy.swap_change(permutation, i, j) } -> std::convertible_to<double>;
};

/// Optional: insertion_change(permutation, from, to), the element at the place `from` being taken out and put in so
/// that it is at the place `to` != from; those between move up by one place.
template <class E>
concept HasInsertionChange = PermutationEnergy<E> &&
    requires(const E& energy, std::span<const std::int32_t> permutation, Index from, Index to) {
    { energy.insertion_change(permutation, from, to) } -> std::convertible_to<double>;
};

/// Optional: reversal_change(permutation, first, last), the elements at the places first < last and between them in
/// reversed order (2-opt, if U is the length of a tour).
template <class E>
concept HasReversalChange = PermutationEnergy<E> &&
    requires(const E& energy, std::span<const std::int32_t> permutation, Index first, Index last) {
    { energy.reversal_change(permutation, first, last) } -> std::convertible_to<double>;
};

} // namespace pearlite::model
