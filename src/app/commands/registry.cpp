#include "app/commands/registry.hpp"

#include "algorithm/plans/entries.hpp"
#include "models/registry.hpp"
#include "pearlite/core/error.hpp"

namespace pearlite::app {

Catalogue built_in_models() {
    return models::built_in();
}

const Algorithms& algorithms() {
    static const Algorithms all = [] {
        Algorithms list;
#define PEARLITE_ALGORITHM(name) list.push_back(algorithm::name##_entry());
#define PEARLITE_ALGORITHM_FAMILY(name)                                                                                \
    for (auto& entry : algorithm::name##_entries())                                                                    \
        list.push_back(std::move(entry));
#include "algorithm/plans/list_of_algorithms.inl"
#undef PEARLITE_ALGORITHM
#undef PEARLITE_ALGORITHM_FAMILY
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
