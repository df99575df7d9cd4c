#pragma once
/// Energies made into models: each with the search space of its states, and the operations of that space.

#include "pearlite/core/error.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/kernel/categorical_space.hpp"
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

/// InputError unless there are d >= 1 bounds on either side, lower below upper.
void check_box(Index dimension, std::span<const double> lower, std::span<const double> upper);

template <model::Energy E>
std::unique_ptr<model::BuiltModel> searched_box(E energy) {
    check_box(energy.dimension(), energy.lower(), energy.upper());
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        BoxOperationSettings settings;
        settings.operations = plan.operations;
        settings.mutation_points = plan.mutation_points;
        settings.crossover_points = plan.crossover_points;
        settings.first_scale = plan.first_scale;
        return model::space_of(BoxSpace<E>(energy, settings, {plan.descent_iterations}));
    };
    return model::searched_in(make_space, {{"metropolis"}});
}

template <model::CategoricalEnergy E>
std::unique_ptr<model::BuiltModel> searched_categories(E energy) {
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(CategoricalSpace<E>(energy, {plan.operations, plan.mutation_points}));
    };
    return model::searched_in(make_space, {{"single-site"}});
}

template <model::PermutationEnergy E>
std::unique_ptr<model::BuiltModel> searched_permutations(E energy) {
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(PermutationSpace<E>(energy, {plan.operations}));
    };
    return model::searched_in(make_space, {{"swap"}});
}

} // namespace pearlite::kernel
