#pragma once
/// A settings struct lists the keys of its configuration table once:
///
///     struct SmcSettings {
///         Index particles = 1024;
///         double ess_threshold = 0.5;
///         void keys(Keys& k) {
///             k("particles", particles, at_least(2), "particles in each replicate");
///             k("ess_threshold", ess_threshold, within(0, 1), "resample below this fraction of the particles");
///         }
///     };
///
/// The list reads a configuration (io/key_reader.hpp): a member's value at the time of the call is the default. The
/// same list describes the keys (io/key_description.hpp), for help texts and for editors. A description visits every
/// branch, with the defaults in place of values, so keys that depend on others stand in when(), never in a plain `if`.

#include "pearlite/core/detail/key_values.hpp"
#include "pearlite/core/error.hpp"

#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pearlite {

/// A type that a text key may hold beyond text: T::parse reads it from text, and throws InputError if it cannot.
template <class T>
concept ParsedFromText = requires(const T& value, const std::string& text) {
    { T::parse(text) } -> std::same_as<T>;
    { value.text() } -> std::convertible_to<std::string>;
};

/// The visitor of a settings struct's keys. Call operator() for every key in the order in which the resolved
/// configuration shall print them. A mistaken value is recorded, and the member keeps its default.
class Keys {
  public:
    virtual ~Keys() = default;

    void operator()(const std::string& name, Index& value, const About& about) { ask({name, about}, value, {}); }
    void operator()(const std::string& name, Index& value, const Limits& limits, const About& about) {
        ask({name, about}, value, limits);
    }
    /// A seed: a whole number, at least 0.
    void operator()(const std::string& name, std::uint64_t& seed, const About& about);
    void operator()(const std::string& name, double& value, const About& about) { ask({name, about}, value, {}); }
    void operator()(const std::string& name, double& value, const Limits& limits, const About& about) {
        ask({name, about}, value, limits);
    }
    void operator()(const std::string& name, bool& value, const About& about) { ask({name, about}, value); }
    void operator()(const std::string& name, std::string& value, const About& about) { ask({name, about}, value); }
    void operator()(const std::string& name, std::vector<double>& values, const About& about) {
        ask({name, about}, values);
    }
    /// An input file: under the data directory, or beside the configuration. The member's name is the default.
    void operator()(const std::string& name, DataFile& file, const About& about) { ask({name, about}, file); }
    void operator()(const std::string& name, InputFile& file, const About& about) { ask({name, about}, file); }
    /// One of a list of names that depend on the data. An empty list, in a description, stands for any name.
    void operator()(const std::string& name, std::string& value, const std::vector<std::string>& options,
                    const About& about) {
        ask({name, about}, value, named_options(options));
    }
    /// Different names of a list; none of them only if that is the default.
    void operator()(const std::string& name, std::vector<std::string>& values, const std::vector<std::string>& options,
                    const About& about) {
        ask({name, about}, values, options);
    }
    /// A choice: an enumerator, or a truth value, by name. The default must be among the choices.
    template <class E>
    requires std::is_enum_v<E> || std::same_as<E, bool>
    void operator()(const std::string& name, E& value, const Choices<std::type_identity_t<E>>& choices,
                    const About& about);
    /// A text that T::parse accepts; an InputError of T::parse is a mistake of the key.
    template <ParsedFromText T>
    void operator()(const std::string& name, T& value, const About& about);
    /// A key that may be left out: absent, it has no value and does not appear in the resolved configuration.
    template <class T>
    void operator()(const std::string& name, std::optional<T>& value, const About& about);
    template <class T>
    void operator()(const std::string& name, std::optional<T>& value, const Limits& limits, const About& about);
    /// A duration: seconds, or "[D-]HH:MM:SS".
    void seconds(const std::string& name, double& value, const About& about) { ask_seconds({name, about}, value); }
    void seconds(const std::string& name, std::optional<double>& value, const About& about);
    /// A whole number, or `word` in its place, which is no value: a choice that the program makes later.
    void number_or(const std::string& word, const std::string& name, std::optional<Index>& value, const Limits& limits,
                   const About& about) {
        ask_number_or(word, {name, about}, value, limits);
    }
    /// A duration, or `word` in its place, which is no value.
    void seconds_or(const std::string& word, const std::string& name, std::optional<double>& value,
                    const About& about) {
        ask_seconds_or(word, {name, about}, value);
    }

    /// Keys that have a meaning only if another key, asked for before, has that value (or one of these values).
    template <class T, class Body>
    void when(const std::string& key, const T& value, const std::type_identity_t<T>& that, const Body& body) {
        when(key, value, std::initializer_list<T>{that}, body);
    }
    template <class T, class Body>
    void when(const std::string& key, const T& value, std::initializer_list<std::type_identity_t<T>> these,
              const Body& body);
    /// Keys that have a meaning only if another key of this table is given, or is not.
    template <class Body>
    void when_given(const std::string& key, const Body& body) {
        inside(
            {Condition::Kind::given, key + " is given", key}, [&] { return has(key); }, body);
    }
    template <class Body>
    void unless_given(const std::string& key, const Body& body) {
        inside(
            {Condition::Kind::not_given, key + " is not given", key}, [&] { return !has(key); }, body);
    }
    /// Keys that have a meaning under a condition that only a sentence can express: "the model has modes".
    template <class Body>
    void when(const std::string& sentence, bool holds, const Body& body) {
        inside(
            {Condition::Kind::sentence, sentence}, [&] { return holds; }, body);
    }

    /// The keys that `body` lists are those of another table.
    template <class Body>
    void in_table(const std::string& table, const Body& body);

    /// Whether the configuration has this key of the table; the key counts as known from then on. False in
    /// descriptions.
    virtual bool has(const std::string& name) = 0;
    /// Keys that have a meaning only for alternatives to the choices made: legal, without effect.
    virtual void set_aside(const std::vector<std::string>& names) = 0;
    /// The same for elements of a list that was asked for.
    virtual void set_aside_elements(const std::string& name, const std::vector<std::string>& elements) = 0;
    /// Records a mistake about a key of this table: an impossible combination. Nothing in descriptions.
    virtual void error(const std::string& name, const std::string& message) = 0;
    /// True if values are read; false if keys are only described, so that members keep their defaults.
    virtual bool is_reading() const = 0;

  protected:
    struct Key {
        std::string name;
        About about;
    };
    virtual void ask(const Key& key, Index& value, const Limits& limits) = 0;
    virtual void ask(const Key& key, double& value, const Limits& limits) = 0;
    virtual void ask(const Key& key, bool& value) = 0;
    virtual void ask(const Key& key, std::string& value) = 0;
    virtual void ask(const Key& key, std::string& value, const std::vector<NamedOption>& options) = 0;
    virtual void ask(const Key& key, std::vector<double>& values) = 0;
    virtual void ask(const Key& key, std::vector<std::string>& values, const std::vector<std::string>& options) = 0;
    virtual void ask(const Key& key, DataFile& file) = 0;
    virtual void ask(const Key& key, InputFile& file) = 0;
    virtual void ask_seconds(const Key& key, double& value) = 0;
    virtual void ask_number_or(const std::string& word, const Key& key, std::optional<Index>& value,
                               const Limits& limits) = 0;
    virtual void ask_seconds_or(const std::string& word, const Key& key, std::optional<double>& value) = 0;
    /// Whether to visit the keys that follow up to leave(): if the condition holds, or always.
    virtual bool enter(const Condition& condition, const std::function<bool()>& holds) = 0;
    virtual void leave() = 0;
    virtual void enter_table(const std::string& table) = 0;
    virtual void leave_table() = 0;

  private:
    template <class Body>
    void inside(const Condition& condition, const std::function<bool()>& holds, const Body& body);
    /// Asks for an optional value by `ask_inner`, a function of the value and its description.
    template <class T, class AskInner>
    void ask_optional(const std::string& name, std::optional<T>& value, About about, const AskInner& ask_inner);
    static std::vector<NamedOption> named_options(const std::vector<std::string>& names);
    /// "kind is linear or geometric".
    static Condition equality(const std::string& key, const std::vector<std::string>& values, bool is_text);

    std::map<std::string, std::map<Index, std::string>> choice_names_; ///< of every choice, by enumerator
};

template <class E>
requires std::is_enum_v<E> || std::same_as<E, bool>
void Keys::operator()(const std::string& name, E& value, const Choices<std::type_identity_t<E>>& choices,
                      const About& about) {
    std::vector<NamedOption> options;
    for (const auto& choice : choices) {
        options.push_back({choice.name, choice.sentence});
        choice_names_[name][static_cast<Index>(choice.value)] = choice.name;
    }
    std::string chosen = choices.name_of(value);
    ask({name, about}, chosen, options);
    value = choices.value_of(chosen, value);
}

template <ParsedFromText T>
void Keys::operator()(const std::string& name, T& value, const About& about) {
    std::string text = value.text();
    ask({name, about}, text);
    try {
        value = T::parse(text);
    } catch (const InputError& wrong) {
        error(name, wrong.what());
    }
}

template <class T>
void Keys::operator()(const std::string& name, std::optional<T>& value, const About& about) {
    ask_optional(name, value, about, [&](T& inner, const About& more) { (*this)(name, inner, more); });
}

template <class T>
void Keys::operator()(const std::string& name, std::optional<T>& value, const Limits& limits, const About& about) {
    ask_optional(name, value, about, [&](T& inner, const About& more) { (*this)(name, inner, limits, more); });
}

template <class T, class AskInner>
void Keys::ask_optional(const std::string& name, std::optional<T>& value, About about, const AskInner& ask_inner) {
    if (is_reading() && !has(name)) {
        value.reset();
        return;
    }
    T inner = value.value_or(T{});
    ask_inner(inner, about.may_be_left_out());
    if (is_reading())
        value = std::move(inner);
}

template <class T, class Body>
void Keys::when(const std::string& key, const T& value, std::initializer_list<std::type_identity_t<T>> these,
                const Body& body) {
    std::vector<std::string> names;
    const auto choice = choice_names_.find(key);
    bool holds = false;
    for (const T& that : these) {
        holds = holds || value == that;
        if constexpr (std::is_convertible_v<T, std::string>)
            names.push_back(that);
        else if (choice != choice_names_.end())
            names.push_back(choice->second.at(static_cast<Index>(that)));
        else if constexpr (std::same_as<T, bool>)
            names.push_back(that ? "true" : "false");
        else
            names.push_back(std::to_string(static_cast<Index>(that)));
    }
    const bool is_text = std::is_convertible_v<T, std::string> || choice != choice_names_.end();
    inside(
        equality(key, names, is_text), [&] { return holds; }, body);
}

template <class Body>
void Keys::inside(const Condition& condition, const std::function<bool()>& holds, const Body& body) {
    if (enter(condition, holds)) {
        body();
        leave();
    }
}

template <class Body>
void Keys::in_table(const std::string& table, const Body& body) {
    enter_table(table);
    body();
    leave_table();
}

} // namespace pearlite
