#pragma once
/// States of a few values a site, searched by chains side by side, for any model::CategoricalEnergy.

#include "pearlite/kernel/detail/any_discrete_space.hpp"
#include "pearlite/kernel/detail/categorical_functions.hpp"

#include <memory>
#include <utility>

namespace pearlite::kernel {

/// Operations by name:
///   single-site           a uniform site gets another value, uniform; Gibbs (heat bath) if all sites are binary
///   k-site                k distinct uniform sites get other values, uniform
///   two-point-crossover   two chains exchange a run of sites
///   uniform-crossover     two chains exchange every site with probability 1/2
template <model::CategoricalEnergy E>
class CategoricalSpace : public AnyDiscreteSpace<CategoricalFunctions> {
  public:
    /// InputError as CategoricalOperations.
    explicit CategoricalSpace(E energy, const CategoricalOperationSettings& settings = {})
        : CategoricalSpace::AnyDiscreteSpace(std::make_shared<const CategoricalFunctionsOf<E>>(std::move(energy)),
                                             settings) {}

    const E& energy() const { return static_cast<const CategoricalFunctionsOf<E>&>(functions()).own(); }
};

} // namespace pearlite::kernel
