#include "algorithm/plans/path_settings.hpp"

#include "algorithm/plans/run_settings.hpp"
#include "path/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pearlite::algorithm {

void PathSettings::keys(Keys& k, const model::ModelTraits& traits, const Facts& facts) {
    std::vector<std::string> names{auto_word};
    std::string about =
        "auto, a bridge if path.fit auto finds a reference and temperatures are adaptive, else tempered";
    for (const auto& entry : path::paths()) {
        names.push_back(entry.name);
        about += "; or " + entry.name + ", " + entry.about;
    }
    auto offered = traits.path_kinds.empty() ? names : traits.path_kinds;
    kind = offered.front();
    // The evidence is the same along both if the prior is normalised.
    if (kind == "tempered" && traits.has_gradient.value_or(false) && traits.has_normalised_prior &&
        !traits.has_estimated_likelihood && contains(offered, "bridge")) {
        offered.emplace_back(auto_word);
        if (facts.run_may_choose && facts.defaults == Defaults::present)
            kind = auto_word;
    }
    k("kind", kind, names,
      pearlite::about("the path, of those that the model offers: " + about)
          .default_is("auto for smc of a density with a gradient and a normalised prior; bridge without a prior; else "
                      "tempered"));
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
    if (is_chosen_by_run() && inverse_temperature_end != 1)
        kind = "tempered"; // a bridge ends at the posterior
    bridge.may_stay = is_chosen_by_run();
    if (!traits.continuous) // a bridge is a path of densities
        return;
    k.when("kind", kind, "bridge", [&] {
        if (inverse_temperature_end != 1)
            k.error("inverse_temperature_end", "a bridge ends at the posterior; expected 1");
        bridge.keys(k, traits, facts.defaults);
    });
}

bool PathSettings::is_chosen_by_run() const {
    return kind == auto_word;
}

std::shared_ptr<const model::Target> PathSettings::along(std::shared_ptr<const model::Target> model) const {
    return is_chosen_by_run() ? model : path::along(kind, std::move(model));
}

model::ModelTraits PathSettings::along(model::ModelTraits traits) const {
    const auto all = path::paths();
    const auto entry = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == kind; });
    if (entry != all.end() && !entry->keeps_gradient)
        traits.has_gradient = false;
    return traits;
}

} // namespace pearlite::algorithm
