#include "app/commands/options.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pearlite::app {

std::string at_least_one(const std::string& text) {
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 1)
        return {};
    return fmt::format("got {}, expected an integer of at least 1", text);
}

void add_data_option(CLI::App& command, std::optional<std::filesystem::path>& data_directory) {
    command.add_option("--data-dir", data_directory, "where relative data paths start (else PEARLITE_DATA_DIR)");
}

void add_configuration_options(CLI::App& command, std::filesystem::path& configuration,
                               std::vector<std::string>& overrides) {
    command.add_option("configuration", configuration, "FILE.toml")->required();
    command.add_option("--set", overrides, "override a key: table.key=value")->allow_extra_args(false);
    command.add_option_function<std::string>(
        "--seed", [&overrides](const std::string& seed) { overrides.push_back("run.seed=" + seed); },
        "the same as --set run.seed=...");
}

void add_session_options(CLI::App& command, SessionOptions& options) {
    add_data_option(command, options.data_directory);
    command.add_option("--time-limit", options.time_limit,
                       "time after which to stop with a checkpoint: seconds or [D-]HH:MM:SS");
    command.add_option("--step-limit", options.step_limit, "number of steps after which to stop with a checkpoint")
        ->check(at_least_one);
    command.add_option("--patience", options.patience,
                       "time that a step may take after a stop signal or the time limit (default 10 s)");
}

} // namespace pearlite::app
