#include "pearlite/model/model_entry.hpp"

#include "pearlite/model/target.hpp"

#include <utility>

namespace pearlite::model {

std::vector<ReverseStart> reverse_starts_of(const Target& target) {
    std::vector<ReverseStart> starts;
    if (target.offers<EndSampler>())
        starts.push_back(ReverseStart::exact);
    if (target.offers<ModeStart>())
        starts.push_back(ReverseStart::mode);
    if (target.offers<DataStart>())
        starts.push_back(ReverseStart::data);
    starts.push_back(ReverseStart::weighted);
    return starts;
}

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
