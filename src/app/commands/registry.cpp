#include "app/commands/registry.hpp"

#include "algorithm/plans/entries.hpp"

#include "pearlite/core/error.hpp"

namespace pearlite::app {

const Algorithms& algorithms() {
    static const Algorithms all = [] {
        Algorithms list{
            algorithm::annealed_importance_entry(), algorithm::smc_entry(),
            algorithm::nonequilibrium_entry(),      algorithm::parallel_tempering_entry(),
            algorithm::importance_squared_entry(),  algorithm::pseudo_marginal_entry(),
        };
        for (auto& entry : algorithm::stochastic_approximation_entries())
            list.push_back(std::move(entry));
        return list;
    }();
    return all;
}

const Algorithm& standard_algorithm(const ModelTraits& traits) {
    return algorithm_of_name(traits.search ? "pisaa" : "annealed-importance");
}

const Algorithm& algorithm_of_name(const std::string& name) {
    for (const auto& entry : algorithms())
        if (entry->name() == name)
            return *entry;
    throw ContractViolation("there is no algorithm called " + name);
}

} // namespace pearlite::app
