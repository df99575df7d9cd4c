#include "io/configuration/key_description.hpp"

#include "io/configuration/configuration_state.hpp"

#include <cctype>

namespace pearlite::io {

namespace {

using Type = KeyDescription::Type;

/// Visits every branch of a list and changes no value.
class Describer final : public Keys {
  public:
    explicit Describer(const std::string& table) { enter_table(table); }
    std::vector<TableDescription> take() { return std::move(tables_); }

    bool has(const std::string&) override { return false; }
    void set_aside(const std::vector<std::string>& names) override {
        for (const auto& name : names)
            add({name, "ignored here; other algorithms of the family use it"}, Type::ignored);
    }
    void set_aside_elements(const std::string&, const std::vector<std::string>&) override {}
    void error(const std::string&, const std::string&) override {}
    bool is_reading() const override { return false; }

  protected:
    void ask(const Key& key, Index& value, const Limits& limits) override {
        add(key, Type::integer, toml_text(value)).limits = limits;
    }
    void ask(const Key& key, double& value, const Limits& limits) override {
        add(key, Type::number, toml_text(value)).limits = limits;
    }
    void ask(const Key& key, bool& value) override { add(key, Type::boolean, toml_text(value)); }
    void ask(const Key& key, std::string& value) override { add(key, Type::text, toml_text(value)); }
    void ask(const Key& key, std::string& value, const std::vector<NamedOption>& options) override {
        add(key, Type::choice, toml_text(value)).options = options;
    }
    void ask(const Key& key, std::vector<double>& values) override { add(key, Type::numbers, toml_text(values)); }
    void ask(const Key& key, std::vector<std::string>& values, const std::vector<std::string>& options) override {
        auto& added = add(key, Type::choices, toml_text(values));
        for (const auto& option : options)
            added.options.push_back({option});
    }
    void ask(const Key& key, DataFile& file) override { add_file(key, Type::data_file, file.name); }
    void ask(const Key& key, InputFile& file) override { add_file(key, Type::file, file.name); }
    void ask_seconds(const Key& key, double& value) override {
        auto& added = add(key, Type::seconds, toml_text(value));
        if (added.about.measured_in.empty())
            added.about.unit("s");
    }
    void ask_number_or(const std::string& word, const Key& key, std::optional<Index>& value,
                       const Limits& limits) override {
        auto& added = add(key, Type::integer, value ? toml_text(*value) : toml_text(word));
        added.limits = limits;
        added.word = word;
    }
    void ask_seconds_or(const std::string& word, const Key& key, std::optional<double>& value) override {
        auto& added = add(key, Type::seconds, value ? toml_text(*value) : toml_text(word));
        added.about.unit("s");
        added.word = word;
    }
    bool enter(const Condition& condition, const std::function<bool()>&) override {
        conditions_.push_back(condition);
        return true;
    }
    void leave() override { conditions_.pop_back(); }
    void enter_table(const std::string& table) override {
        const auto same = [&](const auto& old) { return old.table == table; };
        const auto found = std::find_if(tables_.begin(), tables_.end(), same);
        inside_.push_back(static_cast<std::size_t>(found - tables_.begin()));
        if (found == tables_.end())
            tables_.push_back({table, {}, {}, {}});
    }
    void leave_table() override { inside_.pop_back(); }

  private:
    KeyDescription& add(const Key& key, Type type, const std::string& standard = "") {
        auto& keys = tables_[inside_.back()].keys;
        auto& added = keys.emplace_back();
        added.name = key.name;
        added.type = type;
        added.about = key.about;
        added.conditions = conditions_;
        if (type != Type::ignored && key.about.presence == About::Presence::has_default &&
            key.about.default_rule.empty())
            added.standard = standard;
        return added;
    }
    void add_file(const Key& key, Type type, const std::string& name) {
        auto& added = add(key, type, toml_text(name));
        if (name.empty() && key.about.presence == About::Presence::has_default && key.about.default_rule.empty()) {
            added.about.must_be_given();
            added.standard.reset();
        }
    }

    std::vector<TableDescription> tables_;
    std::vector<std::size_t> inside_; ///< the tables entered, the innermost last
    std::vector<Condition> conditions_;
};

std::string plain_number(double value) {
    const std::string text = toml_text(value);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string end_text(const Bound& bound, KeyDescription::Type type) {
    if (!bound.formula.empty())
        return bound.formula;
    return type == Type::integer ? toml_text(static_cast<Index>(bound.value)) : plain_number(bound.value);
}

std::string interval(const Limits& limits, Type type) {
    return (limits.open_low || !limits.has_low() ? "(" : "[") +
           (limits.has_low() ? end_text(limits.low, type) : std::string("-inf")) + ", " +
           (limits.has_high() ? end_text(limits.high, type) : std::string("inf")) +
           (limits.open_high || !limits.has_high() ? ")" : "]");
}

std::string option_names(const KeyDescription& key) {
    std::vector<std::string> names;
    for (const auto& option : key.options)
        names.push_back(option.name);
    return listed(names, "\"", "\"");
}

} // namespace

std::vector<TableDescription> describe_keys(const std::string& table, const std::function<void(Keys&)>& list) {
    Describer describer(table);
    list(describer);
    return describer.take();
}

std::string expectation(const KeyDescription& key) {
    const bool has_range = key.limits.has_low() || key.limits.has_high();
    switch (key.type) {
    case Type::integer:
        return (has_range ? "an integer in " + interval(key.limits, key.type) : "an integer") +
               (key.word.empty() ? "" : " or \"" + key.word + "\"");
    case Type::number:
        return has_range ? "a number in " + interval(key.limits, key.type) : "a finite number";
    case Type::boolean:
        return "true or false";
    case Type::text:
        return "text";
    case Type::choice:
        return key.options.empty() ? "text" : (key.options.size() == 1 ? "" : "one of ") + option_names(key);
    case Type::numbers:
        return "an array of numbers";
    case Type::choices:
        return key.options.empty() ? "an array of texts" : "an array of " + option_names(key);
    case Type::seconds:
        return std::string("seconds or \"[D-]HH:MM:SS\"") + (key.word.empty() ? "" : ", or \"" + key.word + "\"");
    case Type::data_file:
        return "a data file";
    case Type::file:
        return "a file";
    case Type::ignored:
        break;
    }
    return "ignored";
}

std::string default_text(const KeyDescription& key) {
    if (key.about.presence == About::Presence::optional && key.about.default_rule.empty())
        return "none";
    return key.standard.value_or(key.about.default_rule);
}

std::string conditions_text(const KeyDescription& key) {
    std::string text;
    for (const auto& condition : key.conditions)
        text += (text.empty() ? "" : ", and ") + condition.sentence;
    return text;
}

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
