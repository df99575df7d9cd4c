#include "io/configuration/configuration_state.hpp"

#include "io/configuration/configuration_look_up.hpp"

namespace pearlite::io {
namespace {

constexpr Index order_of_whole_file = Index{1} << 40;
constexpr Index order_of_overrides = Index{1} << 41;

bool is_prefix(const std::string& path, const std::string& longer) {
    return longer.starts_with(path) && (longer.size() == path.size() || longer[path.size()] == '.');
}

bool is_bare_key(const std::string& key) {
    const auto legal = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !key.empty() && std::all_of(key.begin(), key.end(), legal);
}

/// Parses `v = text` and gives the table only if that is all it holds, so that a line break cannot smuggle in a key.
std::optional<toml::table> parse_value(const std::string& text) {
    try {
        toml::table table = toml::parse("v = " + text);
        if (table.size() == 1 && table.contains("v")) {
            return table;
        }
    } catch (const toml::parse_error&) {
        // Not TOML: the caller takes it as a string.
    }
    return std::nullopt;
}

toml::table parse_override_value(const std::string& text, const std::string& place) {
    if (auto table = parse_value(text)) {
        return std::move(*table);
    }
    if (auto table = parse_value(toml_text(text))) {
        return std::move(*table);
    }
    throw InputError(place + ": the value is not UTF-8 text");
}

} // namespace

std::string join_path(const std::string& table, std::string_view key) {
    return table.empty() ? std::string(key) : table + "." + std::string(key);
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t dot = path.find('.');
        parts.emplace_back(path.substr(0, dot));
        if (dot == std::string_view::npos) {
            return parts;
        }
        path.remove_prefix(dot + 1);
    }
}

void Configuration::State::apply_override(const std::string& argument) {
    const std::string where = "--set " + argument;
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) {
        throw InputError(where + ": no value, expected section.key=value");
    }
    const auto trim = [](const std::string& text) {
        const std::size_t first = text.find_first_not_of(" \t");
        return first == std::string::npos ? std::string()
                                          : text.substr(first, text.find_last_not_of(" \t") - first + 1);
    };
    const std::string path = trim(argument.substr(0, equals));
    const std::vector<std::string> parts = split_path(path);
    constexpr std::size_t most_parts = 33; // as of a file's keys
    if (parts.size() > most_parts) {
        throw InputError("--set " + path.substr(0, 40) + "...: a key of more than " + std::to_string(most_parts - 1) +
                         " parts, expected section.key=value");
    }
    if (!std::all_of(parts.begin(), parts.end(), is_bare_key)) {
        throw InputError(where + ": '" + path +
                         "' is not a key (letters, digits, _ and - between points), expected section.key=value");
    }

    toml::table* table = &root;
    std::string so_far;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        so_far = join_path(so_far, parts[i]);
        toml::node* inner = table->get(parts[i]);
        if (inner == nullptr) {
            table->insert(parts[i], toml::table{});
            inner = table->get(parts[i]);
        }
        table = inner->as_table();
        if (table == nullptr) {
            throw InputError(where + ": '" + so_far + "' is not a table (" + place(so_far).text + ")");
        }
    }
    const toml::table value = parse_override_value(trim(argument.substr(equals + 1)), where);
    table->insert_or_assign(parts.back(), *value.get("v"));
    std::erase_if(overrides, [&](const Override& old) { return is_prefix(path, old.path); });
    overrides.push_back({path, argument});
}

bool Configuration::State::wants_short_form() const {
    const toml::node* wish = find("run.short");
    return wish != nullptr && wish->value_exact<bool>().value_or(false);
}

void Configuration::State::take_short_form() {
    const bool is_wanted = wants_short_form();
    toml::node* node = root.get("short");
    if (node == nullptr) {
        if (is_wanted) {
            record(place("run.short"),
                   "run.short: there is no table [short], expected one with the keys of a short run");
        }
        return;
    }
    if (!node->is_table()) {
        record(place("short"), "short: wrong type (got " + toml_text(*node) + "), expected a table [short]");
        root.erase("short");
        return;
    }
    const toml::table table = std::move(*node->as_table()); // copies of values forget their lines
    root.erase("short");
    if (!is_wanted) {
        return;
    }
    std::vector<Assignment> assignments;
    collect(table, "", assignments);
    for (const Assignment& assignment : assignments) {
        if (!override_place(assignment.path)) {
            assign(root, assignment);
        }
    }
    if (toml::table* run = root["run"].as_table()) {
        run->insert_or_assign("short", false);
    }
}

const toml::node* Configuration::State::find(const std::string& path) const {
    const toml::node* node = &root;
    for (const std::string& part : split_path(path)) {
        const toml::table* table = node->as_table();
        node = table == nullptr ? nullptr : table->get(part);
        if (node == nullptr) {
            return nullptr;
        }
    }
    return node;
}

std::optional<Place> Configuration::State::override_place(const std::string& path) const {
    std::optional<Place> found;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        if (is_prefix(overrides[i].path, path) && overrides[i].path.size() >= longest) {
            longest = overrides[i].path.size();
            found = Place{order_of_overrides + static_cast<Index>(i), "--set " + overrides[i].argument};
        }
    }
    return found;
}

Place Configuration::State::line_place(Index line) const {
    if (line == 0) {
        return {order_of_whole_file, name};
    }
    return {line, name + ":" + std::to_string(line)};
}

Place Configuration::State::place(const std::string& path) const {
    if (const auto found = override_place(path)) {
        return *found;
    }
    Index line = 0;
    const toml::node* node = &root;
    for (const std::string& part : split_path(path)) {
        const toml::table* table = node->as_table();
        if (table == nullptr) {
            break;
        }
        const auto entry = table->find(part);
        if (entry == table->end()) {
            break;
        }
        line = static_cast<Index>(entry->first.source().begin.line);
        node = &entry->second;
    }
    return line_place(line);
}

Place Configuration::State::place(const std::string& path, const toml::key& key) const {
    if (const auto found = override_place(path)) {
        return *found;
    }
    return line_place(static_cast<Index>(key.source().begin.line));
}

void Configuration::State::record(const Place& place, const std::string& message) {
    const auto same = [&](const Mistake& old) { return old.message == message && old.place.text == place.text; };
    if (std::none_of(mistakes.begin(), mistakes.end(), same)) {
        mistakes.push_back({place, message});
    }
}

void Configuration::State::know_section(const std::string& section) {
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
        sections.push_back(section);
    }
}

AskedKey& Configuration::State::ask(const std::string& section, const std::string& key) {
    const auto same = [&](const AskedKey& old) { return old.section == section && old.key == key; };
    const auto found = std::find_if(asked.begin(), asked.end(), same);
    return found == asked.end() ? asked.emplace_back(AskedKey{section, key, {}, false}) : *found;
}

void Configuration::State::remember(const std::string& section, const std::string& key, const std::string& text) {
    AskedKey& entry = ask(section, key);
    if (entry.text && !entry.provisional && *entry.text != text) {
        throw ContractViolation("the key " + join_path(section, key) + " was asked for as " + *entry.text +
                                " and again as " + text);
    }
    entry.text = text;
    entry.provisional = false;
}

} // namespace pearlite::io
