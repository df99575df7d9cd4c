#pragma once
/// Permutations, searched by chains side by side, for any model::PermutationEnergy.

#include "pearlite/kernel/detail/any_discrete_space.hpp"
#include "pearlite/kernel/detail/permutation_functions.hpp"

#include <memory>
#include <utility>

namespace pearlite::kernel {

/// Operations by name, all of them mutations; two children of permutations are no permutations, so there are no
/// crossovers:
///   swap        the elements at two uniform places change places
///   insertion   a uniform element is taken out and put in at another uniform place
///   reversal    the elements between two uniform places, both included, are reversed (2-opt)
template <model::PermutationEnergy E>
class PermutationSpace : public AnyDiscreteSpace<PermutationFunctions> {
  public:
    /// InputError as PermutationOperations.
    explicit PermutationSpace(E energy, const PermutationOperationSettings& settings = {})
        : PermutationSpace::AnyDiscreteSpace(std::make_shared<const PermutationFunctionsOf<E>>(std::move(energy)),
                                             settings) {}

    Index size() const { return sites(); }
    const E& energy() const { return static_cast<const PermutationFunctionsOf<E>&>(functions()).own(); }
};

} // namespace pearlite::kernel
