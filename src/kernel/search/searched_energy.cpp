#include "pearlite/kernel/detail/searched_energy.hpp"

#include "kernel/search/box/any_box_energy.hpp"
#include "kernel/search/box/box_operation.hpp"

#include <fmt/format.h>

namespace pearlite::kernel {

model::SearchTraits box_search_traits() {
    model::SearchTraits traits;
    for (const auto& entry : box_operations()) {
        if (entry.operation.kind != model::Operation::Kind::mutation)
            traits.crossovers.push_back(entry.operation.name);
        if (!entry.operation.keeps_target)
            traits.biased.push_back(entry.operation.name);
    }
    traits.operations = BoxOperations::names();
    traits.default_operations = default_box_operations();
    traits.is_box = true;
    return traits;
}

model::SearchTraits categorical_search_traits() {
    model::SearchTraits traits;
    traits.operations = CategoricalOperations::names();
    traits.default_operations = CategoricalOperationSettings{}.operations;
    traits.crossovers = {"two-point-crossover", "uniform-crossover"};
    return traits;
}

model::SearchTraits permutation_search_traits() {
    model::SearchTraits traits;
    traits.operations = traits.default_operations = PermutationOperations::names();
    return traits;
}

void check_box(Index dimension, std::span<const double> lower, std::span<const double> upper, bool is_periodic) {
    if (dimension < 1)
        throw InputError(fmt::format("the energy's dimension() is {}, expected at least 1", dimension));
    if (lower.size() != static_cast<std::size_t>(dimension) || upper.size() != lower.size())
        throw InputError(fmt::format("the energy's lower() and upper() have lengths {} and {}, expected its "
                                     "dimension(), {}",
                                     lower.size(), upper.size(), dimension));
    for (std::size_t k = 0; k < lower.size(); ++k) {
        if (!(lower[k] < upper[k]))
            throw InputError(fmt::format("the energy's box reaches from {} to {} in coordinate {}, expected lower() "
                                         "below upper()",
                                         lower[k], upper[k], k));
        if (is_periodic && !std::isfinite(upper[k] - lower[k]))
            throw InputError(fmt::format("the energy's box reaches from {} to {} in coordinate {}, expected a finite "
                                         "period, as is_periodic() says",
                                         lower[k], upper[k], k));
    }
}

BoxOperationSettings box_settings(const model::OperationPlan& plan) {
    return {.operations = plan.operations,
            .mutation_points = plan.mutation_points,
            .crossover_points = plan.crossover_points,
            .first_scale = plan.first_scale};
}

DescentLimits descent_limits(const model::OperationPlan& plan) {
    return {.iterations = plan.descent_iterations, .moves_state = plan.basin_hopping && plan.descent_iterations > 0};
}

std::unique_ptr<model::BuiltModel> searched(std::shared_ptr<const BoxFunctions> energy) {
    return searched_box(AnyBoxEnergy(std::move(energy)));
}

std::unique_ptr<model::BuiltModel> searched(std::shared_ptr<const CategoricalFunctions> energy) {
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(AnyDiscreteSpace<CategoricalFunctions>(energy, {plan.operations, plan.mutation_points}));
    };
    return model::searched_in(make_space, {{"single-site"}});
}

std::unique_ptr<model::BuiltModel> searched(std::shared_ptr<const PermutationFunctions> energy) {
    const auto make_space = [energy = std::move(energy)](const model::OperationPlan& plan) {
        return model::space_of(AnyDiscreteSpace<PermutationFunctions>(energy, {plan.operations}));
    };
    return model::searched_in(make_space, {{"swap"}});
}

} // namespace pearlite::kernel
