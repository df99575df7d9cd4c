#pragma once
/// Energies made into models: each with the search space of its states, and the operations of that space.

#include "pearlite/core/error.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/kernel/categorical_space.hpp"
#include "pearlite/kernel/detail/box_functions.hpp"
#include "pearlite/kernel/permutation_space.hpp"
#include "pearlite/model/detail/built_model.hpp"
#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"

#include <memory>
#include <utility>

namespace pearlite::kernel {

/// The traits of searches in boxes, categories and permutations.
model::SearchTraits box_search_traits();
model::SearchTraits categorical_search_traits();
model::SearchTraits permutation_search_traits();

/// InputError unless there are d >= 1 bounds on either side, lower below upper, finite ones of a periodic box.
void check_box(Index dimension, std::span<const double> lower, std::span<const double> upper, bool is_periodic);
BoxOperationSettings box_settings(const model::OperationPlan& plan);
DescentLimits descent_limits(const model::OperationPlan& plan);

/// Models of energies behind virtual calls, in spaces that are compiled once: a user's program does not compile them.
/// InputError as check_box().
std::unique_ptr<model::BuiltModel> searched(std::shared_ptr<const BoxFunctions> energy);
std::unique_ptr<model::BuiltModel> searched(std::shared_ptr<const CategoricalFunctions> energy);
std::unique_ptr<model::BuiltModel> searched(std::shared_ptr<const PermutationFunctions> energy);

template <model::CategoricalEnergy E>
std::unique_ptr<model::BuiltModel> searched_categories(E energy) {
    return searched(std::make_shared<const CategoricalFunctionsOf<E>>(std::move(energy)));
}
template <model::PermutationEnergy E>
std::unique_ptr<model::BuiltModel> searched_permutations(E energy) {
    return searched(std::make_shared<const PermutationFunctionsOf<E>>(std::move(energy)));
}

/// The model of an energy in a BoxSpace compiled for it, without a virtual call between them. Energies that bring moves
/// need this form.
template <model::Energy E>
std::unique_ptr<model::BuiltModel> searched_box(E energy) {
    check_box(energy.dimension(), energy.lower(), energy.upper(), model::is_periodic(energy));
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(BoxSpace<E>(energy, box_settings(plan), descent_limits(plan)));
    };
    return model::searched_in(make_space, {{"metropolis"}});
}

} // namespace pearlite::kernel
