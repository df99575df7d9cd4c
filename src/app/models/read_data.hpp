#pragma once
/// Reading data for models.

#include "pearlite/core/error.hpp"
#include "pearlite/io/configuration.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pearlite::app {

/// Reads data; what is wrong with a file becomes a mistake of the key that named it.
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

} // namespace pearlite::app
