#include "path/registry.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>

namespace pearlite::path {

std::vector<PathEntry> paths() {
    return {
#define PEARLITE_PATH(name) name##_entry(),
#include "path/list_of_paths.inl"
#undef PEARLITE_PATH
    };
}

std::vector<std::string> kinds_of(const model::Target& model, const std::string& first) {
    std::vector<std::string> kinds;
    for (const auto& entry : paths())
        if (entry.suits(model))
            kinds.push_back(entry.name);
    std::stable_partition(kinds.begin(), kinds.end(), [&](const std::string& name) { return name == first; });
    return kinds;
}

std::shared_ptr<const model::Target> along(const std::string& kind, std::shared_ptr<const model::Target> model) {
    const auto all = paths();
    const auto entry = std::find_if(all.begin(), all.end(), [&](const PathEntry& each) { return each.name == kind; });
    PEARLITE_EXPECTS(entry != all.end() && entry->suits(*model));
    return entry->along(std::move(model));
}

} // namespace pearlite::path
