#include "app/configured/registry.hpp"

#include "algorithm/plans/entries.hpp"
#include "models/registry.hpp"
#include "pearlite/core/error.hpp"

namespace pearlite::app {

Catalogue built_in_models() {
    return models::built_in();
}

const Algorithms& algorithms() {
    return algorithm::entries();
}

const Algorithm& standard_algorithm(const ModelTraits& traits) {
    switch (traits.task()) {
    case model::Task::search:
        return algorithm_of_name("pisaa");
    case model::Task::training:
        return algorithm_of_name("contrastive-divergence");
    case model::Task::annealing:
        break;
    }
    return algorithm_of_name("annealed-importance");
}

const Algorithm& algorithm_of_name(const std::string& name) {
    for (const auto& entry : algorithms())
        if (entry->name() == name)
            return *entry;
    throw ContractViolation("there is no algorithm called " + name);
}

} // namespace pearlite::app
