#include "io/configuration/configuration_state.hpp"

#include <algorithm>

namespace pearlite::io {
namespace {

/// The keys of a section that were asked for or set aside.
std::vector<std::string> known_keys(const Configuration::State& state, const std::string& section) {
    std::vector<std::string> keys;
    const auto add = [&](const auto& entries) {
        for (const auto& entry : entries) {
            if (entry.section == section) {
                keys.push_back(entry.key);
            }
        }
    };
    add(state.asked);
    add(state.set_aside);
    return keys;
}

/// The path of a known key of this name, whatever its table.
std::optional<std::string> elsewhere(const std::vector<AskedKey>& asked, const std::string& key) {
    const auto found =
        std::find_if(asked.begin(), asked.end(), [&](const AskedKey& entry) { return entry.key == key; });
    return found == asked.end() ? std::nullopt : std::optional(join_path(found->section, found->key));
}

std::string known_tables(const std::vector<std::string>& sections) {
    return sections.empty() ? "; there are no tables" : "; the tables are " + listed(sections, "[", "]");
}

/// A hint about an unknown key, and whether a similar name is known.
std::pair<std::string, bool> key_hint(const Configuration::State& state, const std::string& table,
                                      const std::string& key) {
    const std::vector<std::string> keys = known_keys(state, table);
    if (const auto near = nearest(key, keys)) {
        return {"; did you mean '" + join_path(table, *near) + "'?", true};
    }
    if (const auto other = elsewhere(state.asked, key)) {
        return {"; did you mean '" + *other + "'?", true};
    }
    if (table.empty()) {
        return {known_tables(state.sections), false};
    }
    if (keys.empty()) {
        return {"; [" + table + "] has no keys", false};
    }
    return {"; the keys of [" + table + "] are " + listed(keys), false};
}

} // namespace

void Configuration::State::record_unknown_names() {
    record_unknown_names(root, "");
}

void Configuration::State::record_unknown_names(const toml::table& table, const std::string& path) {
    const std::vector<std::string> keys = known_keys(*this, path);
    for (const auto& [key, node] : table) {
        const std::string full = join_path(path, key.str());
        const auto leads_here = [&](const std::string& section) { return section.starts_with(full + "."); };
        const bool is_section = contains(sections, full);
        if (node.is_table() && (is_section || std::any_of(sections.begin(), sections.end(), leads_here))) {
            record_unknown_names(*node.as_table(), full);
            continue;
        }
        if (is_section || contains(keys, std::string(key.str()))) {
            continue;
        }
        std::string message;
        bool near = false;
        if (node.is_table()) {
            const auto meant = nearest(full, sections);
            near = meant.has_value();
            message =
                "unknown table [" + full + "]" + (near ? "; did you mean [" + *meant + "]?" : known_tables(sections));
        } else {
            const auto [hint, found] = key_hint(*this, path, std::string(key.str()));
            near = found;
            message = "unknown key '" + full + "'" + hint;
        }
        // After a failed choice the right choice may know this name; then only likely slips are reported.
        if (near || !names_incomplete) {
            record(place(full, key), message);
        }
    }
}

} // namespace pearlite::io
