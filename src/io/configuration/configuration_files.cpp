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
        return state_->take_file(name_, key, beside);
    }
    state_->remember(name_, key, toml_text(*written));
    const std::string problem = data_file_problem(*written, data_directory);
    if (!problem.empty()) {
        error(key, problem + " (got " + toml_text(*written) + "), expected " + expected);
        return std::nullopt;
    }
    // An absolute path on the right of / stands alone.
    return state_->take_file(name_, key, (data_directory.value_or("") / *written).lexically_normal());
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
    return state_->take_file(name_, key, path);
}

std::filesystem::path Configuration::State::take_file(const std::string& section, const std::string& key,
                                                      std::filesystem::path path) {
    std::pair file(join_path(section, key), std::move(path));
    if (std::find(files.begin(), files.end(), file) == files.end())
        files.push_back(file);
    return file.second;
}

std::vector<std::pair<std::string, std::filesystem::path>> Configuration::files() const {
    return state_->files;
}

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
