#pragma once
/// The look-up of a key by a section: find, convert, or record the mistake. Private to the configuration sources.

#include "io/configuration/configuration_state.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace pearlite::io {

/// The result of reading a node: the value, or a message on what is wrong with it.
template <class T>
struct Reading {
    T value{};
    std::string wrong;
};

inline constexpr const char* wrong_type = "wrong type";

/// The value as messages show it: long arrays and texts are cut.
std::string shown(const toml::node& node);

Reading<std::string> read_text(const toml::node& node);

/// Reads `section.key` by `read`, a function from a node to a Reading. Empty, with the mistake recorded, if `read`
/// fails or the key is missing and has no fallback.
template <class T, class Read>
std::optional<T> look_up(Configuration::State& state, const std::string& section, const std::string& key,
                         const std::optional<T>& fallback, const std::string& expected, const Read& read) {
    const std::string path = join_path(section, key);
    state.ask(section, key);
    if (const toml::node* node = state.find(path)) {
        Reading<T> reading = read(*node);
        if (reading.wrong.empty()) {
            return std::move(reading.value);
        }
        state.record(state.place(path),
                     path + ": " + reading.wrong + " (got " + shown(*node) + "), expected " + expected);
        return std::nullopt;
    }
    if (!fallback) {
        const bool has_table = state.find(section) != nullptr;
        const std::string what =
            has_table ? "missing from [" + section + "]" : "missing, there is no table [" + section + "]";
        state.record(state.place(path), path + ": " + what + ", expected " + expected);
    }
    return fallback;
}

// Values for keys that stand elsewhere in a configuration than in the keys' own tables: in [short], in the variants and
// lists of [sweep].

/// A value for a key, with the place of the key where it was written.
struct Assignment {
    std::string path;
    toml::source_region region;
    const toml::node* value = nullptr;
};

/// The assignments of all keys in a table and the tables in it; `path` is that of the table whose keys they are.
inline void collect(const toml::table& table, const std::string& path, std::vector<Assignment>& found) {
    for (const auto& [key, node] : table) {
        const auto full = join_path(path, key.str());
        if (const auto* inner = node.as_table())
            collect(*inner, full, found);
        else
            found.push_back({full, key.source(), &node});
    }
}

/// Sets the key at a dotted path of `root`, with the place where it was written.
inline void assign(toml::table& root, const Assignment& assignment) {
    const auto parts = split_path(assignment.path);
    toml::table* table = &root;
    const auto key_of = [&](const std::string& part) {
        return toml::key(part, toml::source_region(assignment.region));
    };
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        if (table->get(parts[i]) == nullptr || !table->get(parts[i])->is_table())
            table->insert_or_assign(key_of(parts[i]), toml::table{});
        table = table->get(parts[i])->as_table();
    }
    table->erase(parts.back());
    assignment.value->visit([&](const auto& value) { table->insert(key_of(parts.back()), value); });
}

} // namespace pearlite::io
