#pragma once
/// How the entries of models read keys and data.

#include "io/configuration/key_reader.hpp"
#include "pearlite/random/stream.hpp"

#include <cstdint>
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

/// run.seed, as the run's plan reads it.
inline std::uint64_t run_seed(io::Configuration& configuration) {
    std::uint64_t seed = 1;
    io::KeyReader(configuration, "run")("seed", seed, "as the run's plan reads it");
    return seed;
}

/// The seed of simulated data, a key of [model].
struct DataSeed {
    std::optional<Index> number = 1; ///< none: run.seed

    void keys(Keys& k, const std::string& of) {
        k.number_or(
            "replicate", "data_seed", number, at_least(0),
            about("seed of " + of + "; \"replicate\": run.seed, so that each replicate of a sweep has other data"));
    }
    random::Stream stream(io::Configuration& configuration) const {
        const auto seed = number ? static_cast<std::uint64_t>(*number) : run_seed(configuration);
        return random::Stream({seed, random::Purpose::synthetic_data, 0, 0});
    }
};

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
