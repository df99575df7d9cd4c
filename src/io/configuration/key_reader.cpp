#include "io/configuration/key_reader.hpp"

namespace pearlite::io {
namespace {

/// The fallback of a look-up: the member's value, unless the key must be given or may be left out.
template <class T>
std::optional<T> fallback(const About& about, const T& value) {
    return about.presence == About::Presence::has_default ? std::optional(value) : std::nullopt;
}

/// The same for files, where no name means no default.
std::optional<std::string> file_fallback(const About& about, const std::string& name) {
    return name.empty() ? std::nullopt : fallback(about, name);
}

/// A look-up that fails and has no fallback gives 0: the member then keeps a value that is inside the range.
template <class T>
void assign(T& value, T found, const Range<T>& range) {
    if ((range.open_low ? found > range.low : found >= range.low) &&
        (range.open_high ? found < range.high : found <= range.high))
        value = found;
}

} // namespace

KeyReader::KeyReader(Configuration& configuration, const std::string& table) : configuration_(&configuration) {
    enter_table(table);
}

bool KeyReader::has(const std::string& name) {
    return section().has(name);
}

void KeyReader::set_aside(const std::vector<std::string>& names) {
    section().set_aside(names);
}

void KeyReader::set_aside_elements(const std::string& name, const std::vector<std::string>& elements) {
    section().set_aside_elements(name, elements);
}

void KeyReader::error(const std::string& name, const std::string& message) {
    section().error(name, message);
}

void KeyReader::ask(const Key& key, Index& value, const Limits& limits) {
    const auto range = limits.range<Index>();
    assign(value, section().integer(key.name, fallback(key.about, value), range), range);
}

void KeyReader::ask(const Key& key, double& value, const Limits& limits) {
    const auto range = limits.range<double>();
    assign(value, section().number(key.name, fallback(key.about, value), range), range);
}

void KeyReader::ask(const Key& key, bool& value) {
    value = section().boolean(key.name, fallback(key.about, value));
}

void KeyReader::ask(const Key& key, std::string& value) {
    value = section().text(key.name, fallback(key.about, value));
}

void KeyReader::ask(const Key& key, std::string& value, const std::vector<NamedOption>& options) {
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const auto& option : options)
        names.push_back(option.name);
    value = section().choice(key.name, names, fallback(key.about, value));
}

void KeyReader::ask(const Key& key, std::vector<double>& values) {
    values = section().numbers(key.name, fallback(key.about, values));
}

void KeyReader::ask(const Key& key, std::vector<std::string>& values, const std::vector<std::string>& options) {
    values = section().choices(key.name, options, fallback(key.about, values));
}

void KeyReader::ask(const Key& key, DataFile& file) {
    file.path = section().data_file(key.name, file_fallback(key.about, file.name)).value_or(std::filesystem::path());
}

void KeyReader::ask(const Key& key, InputFile& file) {
    file.path = section().file(key.name, file_fallback(key.about, file.name)).value_or(std::filesystem::path());
}

void KeyReader::ask_seconds(const Key& key, double& value) {
    value = section().seconds(key.name, fallback(key.about, value));
}

void KeyReader::ask_number_or(const std::string& word, const Key& key, std::optional<Index>& value,
                              const Limits& limits) {
    value = section().integer_or(word, key.name, value, limits.range<Index>());
}

void KeyReader::ask_seconds_or(const std::string& word, const Key& key, std::optional<double>& value) {
    value = section().seconds_or(word, key.name, value);
}

bool KeyReader::enter(const Condition&, const std::function<bool()>& holds) {
    return holds();
}

void KeyReader::enter_table(const std::string& table) {
    tables_.push_back(configuration_->section(table));
}

void KeyReader::leave_table() {
    tables_.pop_back();
}

} // namespace pearlite::io
