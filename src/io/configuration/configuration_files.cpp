#include "io/configuration/configuration_look_up.hpp"

namespace pearlite::io {
namespace {

Reading<std::string> read_file_name(const toml::node& node) {
    Reading<std::string> reading = read_text(node);
    if (reading.wrong.empty() && reading.value.empty()) {
        reading.wrong = "empty file name";
    }
    return reading;
}

/// A message on a missing or unreadable input file; empty if there is nothing to say.
std::string file_problem(const std::filesystem::path& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        return "no such file " + file.string();
    }
    if (error) {
        return "cannot look at " + file.string() + " (" + error.message() + ")";
    }
    return std::filesystem::is_directory(status) ? file.string() + " is a directory" : "";
}

bool is_file(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto type = std::filesystem::status(path, ignored).type();
    return type != std::filesystem::file_type::not_found && type != std::filesystem::file_type::directory &&
           type != std::filesystem::file_type::none && type != std::filesystem::file_type::unknown;
}

/// The same for a file that may be relative to the data directory.
std::string data_file_problem(const std::filesystem::path& written,
                              const std::optional<std::filesystem::path>& data_directory) {
    if (written.is_absolute()) {
        return file_problem(written);
    }
    if (!data_directory) {
        return "no data directory is set";
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(*data_directory, ignored)) {
        return "there is no data directory " + data_directory->string();
    }
    return file_problem(*data_directory / written);
}

} // namespace

std::optional<std::filesystem::path> Section::data_file(const std::string& key,
                                                        const std::optional<std::string>& fallback) {
    const std::string expected =
        "a file beside the configuration, or under the data directory (--data-dir or PEARLITE_DATA_DIR)";
    const auto written = look_up(*state_, name_, key, fallback, expected, read_file_name);
    if (!written) {
        return std::nullopt;
    }
    const auto& data_directory = state_->data_directory;
    const auto beside = (state_->directory / *written).lexically_normal();
    if (is_file(beside) && beside != (data_directory.value_or("") / *written).lexically_normal()) {
        // A resume parses the configuration where the run is.
        state_->remember(name_, key, toml_text(beside.is_absolute() ? beside.string() : absolute(beside).string()));
        return beside;
    }
    state_->remember(name_, key, toml_text(*written));
    const std::string problem = data_file_problem(*written, data_directory);
    if (!problem.empty()) {
        error(key, problem + " (got " + toml_text(*written) + "), expected " + expected);
        return std::nullopt;
    }
    // An absolute path on the right of / stands alone.
    return (data_directory.value_or("") / *written).lexically_normal();
}

std::optional<std::filesystem::path> Section::file(const std::string& key, const std::optional<std::string>& fallback) {
    const std::string expected = "a file, relative to the configuration's directory";
    const auto written = look_up(*state_, name_, key, fallback, expected, read_file_name);
    if (!written) {
        return std::nullopt;
    }
    const std::filesystem::path path = (state_->directory / *written).lexically_normal();
    state_->remember(name_, key, toml_text(path.string()));
    const std::string problem = file_problem(path);
    if (!problem.empty()) {
        error(key, problem + " (got " + toml_text(*written) + "), expected " + expected);
        return std::nullopt;
    }
    return path;
}

} // namespace pearlite::io
