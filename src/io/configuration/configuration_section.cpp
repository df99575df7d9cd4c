#include "io/configuration/configuration_look_up.hpp"

#include <cmath>

namespace pearlite::io {
namespace {

template <class T>
bool is_unbounded(T bound) {
    return bound == std::numeric_limits<T>::max() || bound == std::numeric_limits<T>::lowest();
}

/// "[1, inf)": the ends of a type print as infinities, which are legal values only if the range says so itself.
template <class T>
std::string interval(const Range<T>& range) {
    const bool low_open = range.open_low || is_unbounded(range.low);
    const bool high_open = range.open_high || is_unbounded(range.high);
    const auto end = [](T bound) {
        const std::string text = toml_text(bound);
        return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    };
    std::string text = low_open ? "(" : "[";
    text += is_unbounded(range.low) ? "-inf" : end(range.low);
    text += ", ";
    text += is_unbounded(range.high) ? "inf" : end(range.high);
    text += high_open ? ")" : "]";
    return text;
}

template <class T>
std::string expected_in(const Range<T>& range, const std::string& kind) {
    if (is_unbounded(range.low) && is_unbounded(range.high)) {
        return kind;
    }
    return kind + " in " + interval(range);
}

template <class T>
bool is_inside(T value, const Range<T>& range) {
    return (range.open_low ? value > range.low : value >= range.low) &&
           (range.open_high ? value < range.high : value <= range.high);
}

/// look_up() for values that the resolved configuration shows as they are.
template <class T, class Read>
T look_up_value(Configuration::State& state, const std::string& section, const std::string& key,
                const std::optional<T>& fallback, const std::string& expected, const Read& read) {
    const std::optional<T> value = look_up(state, section, key, fallback, expected, read);
    if (value) {
        state.remember(section, key, toml_text(*value));
    }
    return value ? *value : fallback.value_or(T{});
}

/// A value outside the range that equals the fallback is legal: the resolved configuration may hold it.
template <class T>
std::string outside(T value, const Range<T>& range, const std::optional<T>& fallback) {
    return is_inside(value, range) || (fallback && value == *fallback) ? "" : "outside the range";
}

std::optional<double> as_number(const toml::node& node) {
    if (const auto* integer = node.as_integer()) {
        return static_cast<double>(integer->get());
    }
    if (const auto* floating = node.as_floating_point()) {
        return floating->get();
    }
    return std::nullopt;
}

constexpr const char* a_duration = "seconds in [0, inf) or \"[D-]HH:MM:SS\"";

Reading<double> read_seconds(const toml::node& node, const std::optional<double>& fallback) {
    try {
        if (const auto* text = node.as_string()) {
            return {parse_duration(text->get()), ""};
        }
        if (node.is_time()) { // 01:30:00 without quotes is a time of day to TOML
            return {parse_duration(toml_text(node)), ""};
        }
    } catch (const InputError&) {
        return {0, "not a duration"};
    }
    const std::optional<double> value = as_number(node);
    if (!value) {
        return {0, wrong_type};
    }
    return {*value, outside(*value, {0}, fallback)};
}

} // namespace

/// The value as messages show it: long arrays and texts are cut.
std::string shown(const toml::node& node) {
    constexpr std::size_t longest = 80;
    const std::string text = toml_text(node);
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

Reading<std::string> read_text(const toml::node& node) {
    const auto* text = node.as_string();
    return text == nullptr ? Reading<std::string>{"", wrong_type} : Reading<std::string>{text->get(), ""};
}

Section::Section(std::shared_ptr<Configuration::State> state, std::string name)
    : state_(std::move(state)), name_(std::move(name)) {}

bool Section::has(const std::string& key) const {
    AskedKey& entry = state_->ask(name_, key);
    const toml::node* node = state_->find(join_path(name_, key));
    if (node != nullptr && !entry.text) {
        entry.text = toml_text(*node);
        entry.provisional = true;
    }
    return node != nullptr;
}

Index Section::integer(const std::string& key, std::optional<Index> fallback, Range<Index> range) {
    const auto read = [&](const toml::node& node) -> Reading<Index> {
        const auto* integer = node.as_integer();
        if (integer == nullptr) {
            return {0, wrong_type};
        }
        const Index value = integer->get();
        return {value, outside(value, range, fallback)};
    };
    return look_up_value(*state_, name_, key, fallback, expected_in(range, "an integer"), read);
}

std::optional<Index> Section::integer_or(const std::string& word, const std::string& key, std::optional<Index> fallback,
                                         Range<Index> range) {
    using Value = std::optional<Index>;
    const auto read = [&](const toml::node& node) -> Reading<Value> {
        if (const auto* text = node.as_string())
            return {std::nullopt, text->get() == word ? "" : "not a legal value"};
        const auto* integer = node.as_integer();
        return integer == nullptr ? Reading<Value>{std::nullopt, wrong_type}
                                  : Reading<Value>{integer->get(), outside(integer->get(), range, fallback)};
    };
    const auto value = look_up(*state_, name_, key, std::optional<Value>(fallback),
                               expected_in(range, "an integer") + " or \"" + word + "\"", read)
                           .value_or(fallback);
    state_->remember(name_, key, value ? toml_text(*value) : toml_text(word));
    return value;
}

double Section::number(const std::string& key, std::optional<double> fallback, Range<double> range) {
    const auto read = [&](const toml::node& node) -> Reading<double> {
        const std::optional<double> value = as_number(node);
        if (!value) {
            return {0, wrong_type};
        }
        return {*value, std::isnan(*value) ? "not a number" : outside(*value, range, fallback)};
    };
    const bool default_range = range.low == Range<double>{}.low && range.high == Range<double>{}.high;
    return look_up_value(*state_, name_, key, fallback,
                         default_range ? "a finite number" : expected_in(range, "a number"), read);
}

bool Section::boolean(const std::string& key, std::optional<bool> fallback) {
    const auto read = [](const toml::node& node) -> Reading<bool> {
        const auto* value = node.as_boolean();
        return value == nullptr ? Reading<bool>{false, wrong_type} : Reading<bool>{value->get(), ""};
    };
    return look_up_value(*state_, name_, key, fallback, "true or false", read);
}

std::string Section::text(const std::string& key, const std::optional<std::string>& fallback) {
    return look_up_value(*state_, name_, key, fallback, "text in quotes", read_text);
}

std::string Section::choice(const std::string& key, const std::vector<std::string>& options,
                            const std::optional<std::string>& fallback) {
    std::string hint;
    const auto read = [&](const toml::node& node) {
        Reading<std::string> reading = read_text(node);
        const bool legal = std::find(options.begin(), options.end(), reading.value) != options.end();
        if (reading.wrong.empty() && !legal && reading.value != fallback) {
            reading.wrong = "not a legal value";
        }
        return reading;
    };
    const std::string path = join_path(name_, key);
    const toml::node* node = state_->find(path);
    if (node != nullptr && node->is_string() && std::ranges::count(options, node->as_string()->get()) == 0) {
        const auto near = nearest(node->as_string()->get(), options);
        hint = near ? "; did you mean " + toml_text(*near) + "?" : "";
    }
    const std::string expected = (options.size() == 1 ? "" : "one of ") + listed(options, "\"", "\"") + hint;
    const auto value = look_up(*state_, name_, key, fallback, expected, read);
    if (!value) {
        state_->names_incomplete = true;
        return fallback.value_or("");
    }
    state_->remember(name_, key, toml_text(*value));
    return *value;
}

std::vector<double> Section::numbers(const std::string& key, std::optional<std::vector<double>> fallback) {
    const auto read = [&](const toml::node& node) -> Reading<std::vector<double>> {
        const auto* array = node.as_array();
        if (array == nullptr) {
            return {{}, wrong_type};
        }
        std::vector<double> values;
        std::string wrong;
        for (const toml::node& element : *array) {
            const std::optional<double> value = as_number(element);
            if (wrong.empty() && !(value && std::isfinite(*value))) {
                wrong = "element " + std::to_string(values.size() + 1) + " is " + shown(element);
            }
            values.push_back(value.value_or(0));
        }
        if (!wrong.empty() && fallback && values == *fallback) {
            wrong.clear();
        }
        return {values, wrong};
    };
    return look_up_value(*state_, name_, key, fallback, "an array of finite numbers", read);
}

std::vector<std::string> Section::choices(const std::string& key, const std::vector<std::string>& options,
                                          std::optional<std::vector<std::string>> fallback) {
    const bool may_be_empty = fallback && fallback->empty();
    const auto read = [&](const toml::node& node) -> Reading<std::vector<std::string>> {
        const auto* array = node.as_array();
        if (array == nullptr) {
            return {{}, wrong_type};
        }
        std::vector<std::string> values;
        std::string wrong;
        for (const toml::node& element : *array) {
            const Reading<std::string> reading = read_text(element);
            const bool legal = reading.wrong.empty() && (options.empty() || contains(options, reading.value));
            const bool repeated = std::find(values.begin(), values.end(), reading.value) != values.end();
            if (wrong.empty() && (!legal || repeated)) {
                wrong =
                    "element " + std::to_string(values.size() + 1) + " is " + shown(element) + (legal ? " again" : "");
            }
            values.push_back(reading.value);
        }
        if (wrong.empty() && values.empty() && !may_be_empty) {
            wrong = "empty";
        }
        return {values, wrong};
    };
    const auto expected = "an array of " + (options.empty() ? "texts" : listed(options, "\"", "\""));
    return look_up_value(*state_, name_, key, fallback, expected, read);
}

double Section::seconds(const std::string& key, std::optional<double> fallback) {
    const auto read = [&](const toml::node& node) { return read_seconds(node, fallback); };
    return look_up_value(*state_, name_, key, fallback, a_duration, read);
}

std::optional<double> Section::seconds_or(const std::string& word, const std::string& key,
                                          std::optional<double> fallback) {
    using Value = std::optional<double>;
    const auto read = [&](const toml::node& node) -> Reading<Value> {
        if (const auto* text = node.as_string(); text != nullptr && text->get() == word) {
            return {std::nullopt, ""};
        }
        const auto found = read_seconds(node, fallback);
        return {found.value, found.wrong};
    };
    const auto value = look_up(*state_, name_, key, std::optional<Value>(fallback),
                               std::string(a_duration) + ", or \"" + word + "\"", read)
                           .value_or(fallback);
    state_->remember(name_, key, value ? toml_text(*value) : toml_text(word));
    return value;
}

void Section::set_aside(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
        state_->set_aside.push_back({name_, key, {}});
    }
}

void Section::set_aside_elements(const std::string& key, const std::vector<std::string>& elements) {
    if (!elements.empty()) {
        state_->set_aside.push_back({name_, key, elements});
    }
}

void Section::error(const std::string& key, const std::string& message) {
    const std::string path = join_path(name_, key);
    state_->record(state_->place(path), path + ": " + message);
}

void Section::refuse_choice(const std::string& key, const std::string& message) {
    error(key, message);
    state_->names_incomplete = true;
}

const std::string& Section::name() const {
    return name_;
}

} // namespace pearlite::io
