#include "io/configuration/configuration_state.hpp"
#include "io/files/text_file.hpp"

#include <cstdlib>
#include <span>

namespace pearlite::io {
namespace {

std::optional<std::filesystem::path> find_data_directory(const std::optional<std::filesystem::path>& given) {
    if (given) {
        return std::filesystem::absolute(*given).lexically_normal();
    }
    const char* variable = std::getenv("PEARLITE_DATA_DIR");
    if (variable == nullptr || *variable == '\0') {
        return std::nullopt;
    }
    return std::filesystem::absolute(variable).lexically_normal();
}

/// A key of very many parts would be as many tables deep, and every walk through them a recursion.
void refuse_deep_keys(std::string_view text, const std::string& name) {
    constexpr Index most_points = 32;
    constexpr std::string_view quotes = "\"'", of_keys = "_- \t";
    Index line = 1, points = 0;
    char quote = 0, before = 0; // the quote that is open, and the last character that is not blank
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (c == '\n') {
            ++line;
            points = 0;
            quote = 0;
        } else if (quote != 0) {
            i += c == '\\' && quote == '"' ? 1 : 0;
            quote = c == quote ? 0 : quote;
        } else if (quotes.find(c) != std::string_view::npos) {
            if (text.substr(i, 3) == std::string(3, c)) { // of a text of several lines
                i += 2;
            } else {
                quote = c;
            }
        } else if (c == '.') {
            points = before == '.' ? 0 : points + 1;
        } else if (!is_letter && of_keys.find(c) == std::string_view::npos) {
            points = 0;
        }
        before = c == ' ' || c == '\t' ? before : c;
        if (points > most_points) {
            throw InputError(name + ":" + std::to_string(line) + ": a key of more than " + std::to_string(most_points) +
                             " parts, expected table.key");
        }
    }
}

} // namespace

toml::table parse_toml(std::string_view text, const std::string& name) {
    refuse_deep_keys(text, name);
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        const toml::source_position& at = error.source().begin;
        throw InputError(name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                         std::string(error.description()));
    }
}

Configuration Configuration::load(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                                  const std::optional<std::filesystem::path>& data_directory) {
    const std::string text = read_text_file(file, "a TOML configuration", TextColumns::characters);
    return parse(text, file.string(), std::filesystem::absolute(file).parent_path(), overrides, data_directory);
}

Configuration Configuration::parse(std::string_view text, const std::string& name,
                                   const std::filesystem::path& directory, const std::vector<std::string>& overrides,
                                   const std::optional<std::filesystem::path>& data_directory) {
    Configuration configuration;
    configuration.state_ = std::make_shared<State>();
    State& state = *configuration.state_;
    state.name = name;
    state.directory = std::filesystem::absolute(directory).lexically_normal();
    state.data_directory = find_data_directory(data_directory);
    state.root = parse_toml(text, name);
    for (const std::string& argument : overrides) {
        state.apply_override(argument);
    }
    state.take_short_form();
    return configuration;
}

Section Configuration::section(const std::string& name) {
    state_->know_section(name);
    const toml::node* node = state_->find(name);
    if (node != nullptr && !node->is_table()) {
        state_->record(state_->place(name),
                       name + ": wrong type (got " + toml_text(*node) + "), expected a table [" + name + "]");
    }
    return Section(state_, name);
}

bool Configuration::has_section(const std::string& name) const {
    state_->know_section(name);
    const toml::node* node = state_->find(name);
    return node != nullptr && node->is_table();
}

void Configuration::error(const std::string& key, const std::string& message) {
    state_->record(state_->place(key), key + ": " + message);
}

void Configuration::check() {
    state_->record_unknown_names();
    check_asked();
}

void Configuration::check_asked() const {
    if (!has_errors()) {
        return;
    }
    std::vector<Mistake> mistakes = state_->mistakes;
    std::stable_sort(mistakes.begin(), mistakes.end(),
                     [](const Mistake& a, const Mistake& b) { return a.place.order < b.place.order; });
    constexpr std::size_t most_listed = 20;
    std::string text;
    for (const Mistake& mistake : std::span(mistakes).first(std::min(mistakes.size(), most_listed))) {
        text += (text.empty() ? "" : "\n") + mistake.place.text + ": " + mistake.message;
    }
    if (mistakes.size() > most_listed) {
        text += "\nand " + std::to_string(mistakes.size() - most_listed) + " more";
    }
    throw InputError(text);
}

bool Configuration::has_errors() const {
    return !state_->mistakes.empty();
}

std::string Configuration::resolved() const {
    std::string text;
    for (const std::string& section : state_->sections) {
        const toml::node* node = state_->find(section);
        // A table that is there stays there, even if empty: has_section() may decide something.
        bool needs_header = true;
        const auto header = [&] {
            if (std::exchange(needs_header, false)) {
                text += (text.empty() ? "[" : "\n[") + section + "]\n";
            }
        };
        if (node != nullptr && node->is_table()) {
            header();
        }
        for (const AskedKey& entry : state_->asked) {
            if (entry.section == section && entry.text) {
                header();
                text += entry.key + " = " + *entry.text + "\n";
            }
        }
    }
    return text;
}

void Configuration::remark(const std::string& key, const std::string& text) {
    const auto sentence = key + ": " + text;
    if (std::find(state_->remarks.begin(), state_->remarks.end(), sentence) == state_->remarks.end()) {
        state_->remarks.push_back(sentence);
    }
}

const std::vector<std::string>& Configuration::remarks() const {
    return state_->remarks;
}

std::vector<std::string> Configuration::unused() const {
    std::vector<std::string> unused;
    for (const SetAside& entry : state_->set_aside) {
        const std::string path = join_path(entry.section, entry.key);
        if (state_->find(path) != nullptr) {
            unused.push_back(entry.elements.empty() ? path : path + " (" + listed(entry.elements) + ")");
        }
    }
    return unused;
}

std::optional<std::filesystem::path> Configuration::data_directory() const {
    return state_->data_directory;
}

std::filesystem::path Configuration::directory() const {
    return state_->directory;
}

} // namespace pearlite::io
