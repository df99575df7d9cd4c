#pragma once
/// Options that several commands have. Private to this layer.

#include "algorithm/common/settings.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// An error message for a text that is no valid number of steps; empty for a valid one.
std::string at_least_one(const std::string& text);

/// Where relative data paths start.
void add_data_option(CLI::App& command, std::optional<std::filesystem::path>& data_directory);

/// A configuration and its overrides.
void add_configuration_options(CLI::App& command, std::filesystem::path& configuration,
                               std::vector<std::string>& overrides);

/// The data and the limits of a session.
struct SessionOptions {
    std::optional<std::filesystem::path> data_directory;
    std::optional<std::string> time_limit; ///< seconds or [D-]HH:MM:SS
    std::optional<Index> step_limit;
    std::optional<std::string> patience; ///< likewise: time of a step after a stop signal or the limit
    std::function<bool(const algorithm::Progress&)> goes_on = {}; ///< as in Job
};
void add_session_options(CLI::App& command, SessionOptions& options);

} // namespace pearlite::app
