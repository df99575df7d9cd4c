#include "io/configuration/configuration_state.hpp"

#include "io/configuration/key_description.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cctype>

namespace pearlite::io {
namespace {

using Type = KeyDescription::Type;

/// Breaks a text into lines of at most 118 letters; the first begins with `first`, the others with `indent`.
std::string wrapped(const std::string& first, const std::string& text, const std::string& indent) {
    constexpr std::size_t width = 118;
    std::string result, line;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            result += line + "\n";
            line = indent + word;
        } else {
            line += (line.empty() ? first : " ") + word;
        }
        start = end + 1;
    }
    return result + line + "\n";
}

/// "[algorithm] smc", "[kernel]": the table, and its owner if it has only one.
std::string heading(const TableDescription& table) {
    const auto& owners = table.table == "model" ? table.models : table.algorithms;
    const bool is_own = (table.table == "model" || table.table == "algorithm") && owners.size() == 1;
    return "[" + table.table + "]" + (is_own ? " " + owners.front() : "");
}

/// "For algorithm.name smc, model.name ising, potts.", or nothing if the heading says it all.
std::string owners_of(const TableDescription& table) {
    std::string text;
    const auto add = [&](const std::string& owner, const std::vector<std::string>& names) {
        if (!names.empty() && (table.table != owner || names.size() > 1))
            text += (text.empty() ? "For " : "; for ") + owner + ".name " + listed(names);
    };
    add("algorithm", table.algorithms);
    add("model", table.models);
    return text.empty() ? "" : text + ".";
}

std::string capitalised(std::string text) {
    if (!text.empty())
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// The description of a key beyond its name: default, legal values, condition, meaning, options.
std::string description(const KeyDescription& key) {
    if (key.type == Type::ignored)
        return capitalised(key.about.sentence) + ".";
    const std::string standard = default_text(key), condition = conditions_text(key);
    std::string text = expectation(key);
    text += key.about.measured_in.empty() || key.type == Type::seconds ? "" : ", in " + key.about.measured_in;
    const bool is_optional = key.about.presence == About::Presence::optional && key.about.default_rule.empty();
    text += "; " + (is_optional ? "may be left out" : standard.empty() ? "must be given" : "default " + standard);
    text += condition.empty() ? "" : "; only if " + condition;
    text += ". " + capitalised(key.about.sentence) + ".";
    for (const auto& option : key.options)
        if (!option.sentence.empty())
            text += " \"" + option.name + "\": " + option.sentence + ".";
    return text;
}

/// Whether `only` ("run", "kernel", "model.ising" or "kernel.smc", say) means this table.
bool is_meant(const TableDescription& table, const std::string& only) {
    if (only.empty() || only == table.table)
        return true;
    if (!only.starts_with(table.table + "."))
        return false;
    const std::string owner = only.substr(table.table.size() + 1);
    return contains(table.models, owner) || contains(table.algorithms, owner);
}

} // namespace

std::string keys_as_text(const std::vector<TableDescription>& tables, const std::string& only) {
    std::string text;
    for (const auto& table : tables) {
        if (!is_meant(table, only))
            continue;
        text += (text.empty() ? "" : "\n") + heading(table) + "\n";
        if (const auto owners = owners_of(table); !owners.empty())
            text += wrapped("  ", owners, "  ");
        for (const auto& key : table.keys)
            text += wrapped("  ", key.name + ": " + description(key), "      ");
        if (!table.is_complete)
            text += table.table == "model" ? "  and keys that the model reads by itself\n"
                                           : "  and keys of other tables, each with a list of values\n";
    }
    if (!text.empty())
        return text;
    std::vector<std::string> names;
    for (const auto& table : tables) {
        const auto& owners = table.table == "model" ? table.models : table.algorithms;
        const bool has_owners = (table.table == "model" || table.table == "algorithm") && !owners.empty();
        for (const auto& owner : has_owners ? owners : std::vector<std::string>{""}) {
            const std::string name = owner.empty() ? table.table : join_path(table.table, owner);
            if (!contains(names, name))
                names.push_back(name);
        }
    }
    const auto near = nearest(only, names);
    throw InputError("no table '" + only + "'" + (near ? "; did you mean '" + *near + "'?" : "") +
                     "; expected one of " + listed(names));
}

std::string keys_as_markdown(const std::vector<TableDescription>& tables) {
    std::string text;
    for (const auto& table : tables) {
        text += (text.empty() ? "## " : "\n## ") + heading(table) + "\n\n";
        if (const auto owners = owners_of(table); !owners.empty())
            text += wrapped("", owners, "") + "\n";
        for (const auto& key : table.keys)
            text += wrapped("* ", "`" + key.name + "`: " + description(key), "  ");
        if (table.keys.empty())
            text += "No keys.\n";
    }
    return text;
}

} // namespace pearlite::io
