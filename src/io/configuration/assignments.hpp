#pragma once
/// Values for keys that stand elsewhere in a configuration than in the keys' own tables: in [short], in the variants
/// and lists of [sweep]. Private to the configuration sources, as is toml++.

#include "io/configuration/configuration_state.hpp"

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace pearlite::io {

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
