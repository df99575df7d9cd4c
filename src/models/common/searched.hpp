#pragma once
/// Entries of models that are searched for their state of lowest energy.

#include "pearlite/model/model_entry.hpp"

#include <string>
#include <utility>

namespace pearlite::models {

inline model::ModelEntry searched(std::string name, std::string description, model::SearchTraits traits,
                                  decltype(model::ModelEntry::build) build, decltype(model::ModelEntry::keys) keys) {
    model::ModelEntry entry;
    entry.traits.name = std::move(name);
    entry.traits.search = std::move(traits);
    entry.description = std::move(description);
    entry.build = std::move(build);
    entry.keys = std::move(keys);
    return entry;
}

} // namespace pearlite::models
