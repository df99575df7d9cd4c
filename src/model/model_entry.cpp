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

ModelEntry searched_entry(std::string name, std::string description, SearchTraits traits, ModelEntry::Build build,
                          ModelEntry::ListKeys keys) {
    ModelTraits searched;
    searched.name = std::move(name);
    searched.search = std::move(traits);
    return {std::move(searched), std::move(description), std::move(build), std::move(keys)};
}

} // namespace pearlite::model
