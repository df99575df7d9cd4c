#include "pearlite/model/model_entry.hpp"

#include <utility>

namespace pearlite::model {

ModelEntry searched_entry(std::string name, std::string description, SearchTraits traits,
                          decltype(ModelEntry::build) build, decltype(ModelEntry::keys) keys) {
    ModelEntry entry;
    entry.traits.name = std::move(name);
    entry.traits.search = std::move(traits);
    entry.description = std::move(description);
    entry.build = std::move(build);
    entry.keys = std::move(keys);
    return entry;
}

} // namespace pearlite::model
