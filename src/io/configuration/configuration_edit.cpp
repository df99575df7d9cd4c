#include "io/configuration/configuration_edit.hpp"

#include "io/configuration/configuration_look_up.hpp"

namespace pearlite::io {
namespace {

/// The offset at which line `line` (from 1) begins; the end of the text for lines beyond the last one.
std::size_t line_begin(std::string_view text, std::size_t line) {
    std::size_t at = 0;
    for (; line > 1; --line) {
        at = text.find('\n', at);
        if (at == std::string_view::npos) {
            return text.size();
        }
        ++at;
    }
    return at;
}

/// The offset in bytes of a position whose columns count characters of UTF-8.
std::size_t offset_of(std::string_view text, const toml::source_position& position) {
    std::size_t at = line_begin(text, position.line);
    for (std::size_t column = position.column; column > 1 && at < text.size(); --column) {
        do {
            ++at;
        } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
    }
    return at;
}

/// The last line of a table that a new key may follow: that of its header or of its last value.
std::size_t last_line(const toml::table& table) {
    std::size_t line = table.source().begin.line;
    for (const auto& [key, node] : table) {
        const bool has_own_header = node.is_table() && !node.as_table()->is_inline();
        if (!has_own_header && !node.is_array_of_tables()) {
            line = std::max<std::size_t>(line, node.source().end.line);
        }
    }
    return line;
}

/// The text with `value` at `path`, if one replacement or one more line is enough.
std::string with_value(std::string text, const toml::table& root, const std::string& path, const std::string& value) {
    const std::size_t dot = path.rfind('.');
    const auto old = root.at_path(path);
    if (old) {
        const auto& region = old.node()->source();
        const std::size_t begin = offset_of(text, region.begin);
        return text.replace(begin, offset_of(text, region.end) - begin, value);
    }
    const std::string line = path.substr(dot == std::string::npos ? 0 : dot + 1) + " = " + value + "\n";
    if (dot == std::string::npos) {
        return line + text;
    }
    if (!text.empty() && text.back() != '\n') {
        text += '\n';
    }
    const auto table = root.at_path(path.substr(0, dot));
    if (!table.is_table()) {
        return text + (text.empty() ? "[" : "\n[") + path.substr(0, dot) + "]\n" + line;
    }
    return text.insert(line_begin(text, last_line(*table.as_table()) + 1), line);
}

} // namespace

std::string with_overrides(std::string_view text, const std::string& name, const std::vector<std::string>& overrides) {
    std::string result(text);
    for (const std::string& argument : overrides) {
        Configuration::State wanted;
        wanted.name = name;
        wanted.root = parse_toml(result, name);
        wanted.apply_override(argument);
        const std::string path = wanted.overrides.back().path;
        const std::string value = toml_text(*wanted.find(path));
        std::string edited = with_value(result, parse_toml(result, name), path, value);
        bool is_right = false;
        try {
            is_right = toml::parse(edited) == wanted.root;
        } catch (const toml::parse_error&) {
            // One line cannot make this change: reported below.
        }
        if (!is_right) {
            throw InputError(name + ": cannot write " + path + " = " + value + " into this layout; expected a table [" +
                             path.substr(0, path.rfind('.')) + "] with a key a line");
        }
        result = std::move(edited);
    }
    return result;
}

std::string with_short_form(std::string_view text, const std::string& name, const std::vector<std::string>& overrides) {
    Configuration::State wanted;
    wanted.name = name;
    wanted.root = parse_toml(text, name);
    for (const std::string& argument : overrides)
        wanted.apply_override(argument);
    const toml::table* table = wanted.root["short"].as_table();
    if (table == nullptr || !wanted.wants_short_form())
        return std::string(text);
    std::vector<Assignment> assignments;
    collect(*table, "", assignments);
    std::vector<std::string> values;
    values.reserve(assignments.size() + 1);
    for (const Assignment& assignment : assignments)
        values.push_back(assignment.path + "=" + toml_text(*assignment.value));
    values.emplace_back("run.short=false");
    return with_overrides(text, name, values);
}

std::string without_table(std::string_view text, const std::string& name, const std::string& table) {
    auto root = parse_toml(text, name);
    const auto node = root.at_path(table);
    if (!node) {
        return std::string(text);
    }
    std::string result(text);
    if (node.is_table()) {
        const std::size_t begin = line_begin(text, node.as_table()->source().begin.line);
        result.erase(begin, line_begin(text, last_line(*node.as_table()) + 1) - begin);
    }
    root.erase(table);
    bool is_right = false;
    try {
        is_right = toml::parse(result) == root;
    } catch (const toml::parse_error&) {
        // The table is not a block of lines: reported below.
    }
    if (!is_right) {
        throw InputError(name + ": cannot take the table [" + table +
                         "] out of this layout; expected its header, and a key a line");
    }
    return result;
}

} // namespace pearlite::io
