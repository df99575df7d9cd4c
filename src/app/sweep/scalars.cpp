#include "app/sweep/scalars.hpp"

#include "pearlite/core/detail/key_values.hpp"

#include <algorithm>
#include <set>

namespace pearlite::app {

namespace {

/// Top-level entries that describe the run and not its result.
bool describes_the_run(const std::string& name) {
    return name == "schema" || name == "seed" || name == "ranks" || name == "block";
}

std::string label_of(const Json& entry, std::size_t number, std::set<std::string>& taken) {
    const auto text = [&](const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    std::string label = text("name");
    if (label.empty() && !text("estimator").empty())
        label = text("quantity").empty() ? text("estimator") : text("estimator") + "." + text("quantity");
    if (label.empty())
        label = fmt::format("{}", number);
    if (!taken.insert(label).second)
        label += "." + (text("error_method").empty() ? fmt::format("{}", number) : text("error_method"));
    taken.insert(label);
    return label;
}

void collect(const Json& value, const std::string& name, std::vector<Scalar>& found);

void collect_list(const Json& list, const std::string& name, std::vector<Scalar>& found) {
    const auto are = [&](auto is) { return std::all_of(list.begin(), list.end(), is); };
    if (name.ends_with(".interval95") && list.size() == 2) {
        collect(list[0], name + ".low", found);
        collect(list[1], name + ".high", found);
    } else if (name == "diagnostics.warnings") {
        found.emplace_back("warnings", static_cast<double>(list.size()));
    } else if (!list.empty() && are([](const Json& entry) { return entry.is_object(); })) {
        std::set<std::string> taken;
        for (std::size_t k = 0; k < list.size(); ++k)
            collect(list[k], name + "." + label_of(list[k], k, taken), found);
    }
}

/// Numbers that JSON has no form for are texts in a summary.
void collect_text(const std::string& text, const std::string& name, std::vector<Scalar>& found) {
    if (text == "inf" || text == "-inf")
        found.emplace_back(name, text == "inf" ? infinity : -infinity);
    else if (text == "nan" || text == "-nan")
        found.emplace_back(name, std::numeric_limits<double>::quiet_NaN());
}

void collect(const Json& value, const std::string& name, std::vector<Scalar>& found) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items())
            if (!name.empty() || !describes_the_run(key))
                collect(inner, name.empty() ? key : name + "." + key, found);
    } else if (value.is_array()) {
        collect_list(value, name, found);
    } else if (value.is_string()) {
        collect_text(value.get<std::string>(), name, found);
    } else if (value.is_number()) {
        found.emplace_back(name, value.get<double>());
    }
}

} // namespace

std::vector<Scalar> scalars_of(const Json& summary) {
    std::vector<Scalar> found;
    collect(summary, "", found);
    return found;
}

bool is_of_machine(const std::string& scalar) {
    return scalar.starts_with("timing.");
}

std::vector<std::string> headline_of(const std::vector<std::string>& scalars) {
    std::vector<std::string> headline;
    const auto estimate = std::find_if(scalars.begin(), scalars.end(), [](const std::string& name) {
        return name.starts_with("log_evidence.") && name.ends_with(".value");
    });
    if (estimate != scalars.end())
        headline.push_back(*estimate);
    for (const char* name : {"best.energy", "polished.energy", "diagnostics.ess", "timing.wall_seconds"})
        if (contains(scalars, name))
            headline.emplace_back(name);
    return headline;
}

} // namespace pearlite::app
