#include "io/configuration/key_description.hpp"

#include "io/configuration/configuration_state.hpp"

#include <algorithm>

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

} // namespace pearlite::io
