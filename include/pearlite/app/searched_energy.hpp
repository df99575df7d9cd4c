#pragma once
/// Energies made into models of the catalogue: each with the search space of its states, and the operations of that.

#include "pearlite/app/catalogue.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/kernel/categorical_space.hpp"
#include "pearlite/kernel/permutation_space.hpp"
#include "pearlite/model/energy/space_of.hpp"

#include <memory>
#include <utility>

namespace pearlite::app {

/// What searches of these spaces offer.
SearchTraits box_search_traits();
SearchTraits categorical_search_traits();
SearchTraits permutation_search_traits();

/// InputError unless there are d >= 1 bounds on either side, lower below upper.
void check_box(Index dimension, std::span<const double> lower, std::span<const double> upper);

template <model::Energy E>
std::unique_ptr<BuiltModel> searched_box(E energy) {
    check_box(energy.dimension(), energy.lower(), energy.upper());
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        kernel::BoxOperationSettings settings;
        settings.operations = plan.operations;
        settings.mutation_points = plan.mutation_points;
        settings.crossover_points = plan.crossover_points;
        settings.first_scale = plan.first_scale;
        return model::space_of(kernel::BoxSpace<E>(energy, settings, {plan.descent_iterations}));
    };
    return model::searched_in(make_space, {{"metropolis"}});
}

template <model::CategoricalEnergy E>
std::unique_ptr<BuiltModel> searched_categories(E energy) {
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(kernel::CategoricalSpace<E>(energy, {plan.operations, plan.mutation_points}));
    };
    return model::searched_in(make_space, {{"single-site"}});
}

template <model::PermutationEnergy E>
std::unique_ptr<BuiltModel> searched_permutations(E energy) {
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(kernel::PermutationSpace<E>(energy, {plan.operations}));
    };
    return model::searched_in(make_space, {{"swap"}});
}

} // namespace pearlite::app
