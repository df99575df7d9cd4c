#pragma once
/// How the entries of models read keys and data.

#include "io/configuration/key_reader.hpp"
#include "pearlite/core/error.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pearlite::models {

/// Reads the keys of [model], which may depend on `more`.
template <class ModelKeys, class... More>
ModelKeys read_model(io::Configuration& configuration, const More&... more) {
    ModelKeys keys;
    io::read_keys(configuration, "model", keys, more...);
    return keys;
}

/// Lists the keys of a table that several structs make up, one after another.
template <class... ModelKeys>
void list_keys(Keys& k) {
    (ModelKeys().keys(k), ...);
}

/// Reads data; an InputError about a file becomes a mistake of the key that named it.
template <class Read>
auto read_data(io::Section& section, const std::string& key, const std::optional<std::filesystem::path>& file,
               Read&& read) -> std::optional<decltype(read(*file))> {
    if (!file)
        return {};
    try {
        return read(*file);
    } catch (const InputError& error) {
        section.error(key, error.what());
        return {};
    }
}

template <class Read>
auto read_data(io::Section& section, const std::string& key, const DataFile& file, Read&& read)
    -> std::optional<decltype(read(file.path))> {
    return read_data(section, key, file.path.empty() ? std::nullopt : std::optional(file.path), read);
}

} // namespace pearlite::models
