#pragma once
/// The look-up of a key by a section: find, convert, or record the mistake. Private to the configuration sources.

#include "io/configuration/configuration_state.hpp"

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

} // namespace pearlite::io
