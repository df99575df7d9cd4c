#include "algorithm/plans/path_settings.hpp"

#include "algorithm/plans/run_settings.hpp"
#include "path/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pearlite::algorithm {

void PathSettings::keys(Keys& k, const model::ModelTraits& traits) {
    std::vector<std::string> names;
    std::string about;
    for (const auto& entry : path::paths()) {
        names.push_back(entry.name);
        about += (about.empty() ? "" : "; or ") + entry.name + ", " + entry.about;
    }
    const auto& offered = traits.path_kinds.empty() ? names : traits.path_kinds;
    kind = offered.front();
    k("kind", kind, names, "the path, of those that the model offers: " + about);
    if (std::find(offered.begin(), offered.end(), kind) == offered.end()) {
        k.error("kind", fmt::format("got \"{}\", which this model does not offer; expected \"{}\"", kind,
                                    fmt::join(offered, "\" or \"")));
        kind = offered.front();
    }
    k("inverse_temperature_end", inverse_temperature_end, above(0).up_to(traits.largest_inverse_temperature),
      "where the path ends; below 1 the posterior is a tempered one");
    k.when("kind", kind, "moments", [&] {
        if (inverse_temperature_end != 1)
            k.error("inverse_temperature_end", "a path of averaged moments ends at the model; expected 1");
        moments.keys(k);
    });
    if (!traits.continuous) // a bridge is a path of densities
        return;
    k.when("kind", kind, "bridge", [&] {
        if (inverse_temperature_end != 1)
            k.error("inverse_temperature_end", "a bridge ends at the posterior; expected 1");
        bridge.keys(k, traits);
    });
}

model::ModelTraits PathSettings::along(model::ModelTraits traits) const {
    const auto all = path::paths();
    const auto entry = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == kind; });
    if (entry != all.end() && !entry->keeps_gradient)
        traits.has_gradient = false;
    return traits;
}

} // namespace pearlite::algorithm
