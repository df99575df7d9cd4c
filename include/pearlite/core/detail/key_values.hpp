#pragma once
/// The properties of a key in a list (core/keys.hpp): ranges, sentences, choices, files, conditions.

#include "pearlite/core/error.hpp"
#include "pearlite/core/types.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace pearlite {

inline bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Closed interval of legal values.
template <class T>
struct Range {
    T low = std::numeric_limits<T>::lowest();
    T high = std::numeric_limits<T>::max();
    bool open_low = false;  ///< low itself is not legal
    bool open_high = false; ///< high itself is not legal
};

/// An end of a range: a number and, if it depends on other keys or on the model, how: {scans - 2, "scans - 2"}.
struct Bound {
    Bound(double number) : value(number) {}
    Bound(Index number) : value(static_cast<double>(number)) {}
    Bound(int number) : value(number) {}
    template <class T>
    Bound(T number, std::string how) : Bound(number) {
        formula = std::move(how);
    }

    double value = 0; ///< exact for whole numbers to 2^53
    std::string formula;
};

/// Legal values of a number: at_least(1), above(0).up_to(1), within(0, 1), between(0, 1).
class Limits {
  public:
    Limits() = default;
    Limits& up_to(Bound bound) { return set(high, std::move(bound), false, open_high); }
    Limits& below(Bound bound) { return set(high, std::move(bound), true, open_high); }
    Limits& from(Bound bound) { return set(low, std::move(bound), false, open_low); }
    Limits& above(Bound bound) { return set(low, std::move(bound), true, open_low); }

    template <class T>
    Range<T> range() const {
        Range<T> range{.open_low = open_low, .open_high = open_high};
        if (low.value > -unbounded)
            range.low = static_cast<T>(low.value);
        if (high.value < unbounded)
            range.high = static_cast<T>(high.value);
        return range;
    }
    bool has_low() const { return low.value > -unbounded; }
    bool has_high() const { return high.value < unbounded; }

    static constexpr double unbounded = infinity;
    Bound low{-unbounded}, high{unbounded};
    bool open_low = false, open_high = false;

  private:
    Limits& set(Bound& end, Bound bound, bool is_open, bool& open) {
        end = std::move(bound);
        open = is_open;
        return *this;
    }
};

inline Limits at_least(Bound low) {
    return Limits().from(std::move(low));
}
inline Limits above(Bound low) {
    return Limits().above(std::move(low));
}
inline Limits at_most(Bound high) {
    return Limits().up_to(std::move(high));
}
/// low <= value <= high
inline Limits within(Bound low, Bound high) {
    return at_least(std::move(low)).up_to(std::move(high));
}
/// low < value < high
inline Limits between(Bound low, Bound high) {
    return above(std::move(low)).below(std::move(high));
}

/// The description of a key for people: one sentence and, if they apply, a unit and the rule of the default.
class About {
  public:
    enum class Presence { has_default, required, optional };

    About(const char* text) : sentence(text) {}
    About(std::string text) : sentence(std::move(text)) {}
    /// "km/s", say.
    About& unit(std::string name) { return measured_in = std::move(name), *this; }
    /// The default is no constant, but depends on other keys or on the model: "a fifth of scans".
    About& default_is(std::string how) { return default_rule = std::move(how), *this; }
    /// There is no default: the key must be given.
    About& must_be_given() { return presence = Presence::required, *this; }
    /// There is no default, and the key may be left out.
    About& may_be_left_out() { return presence = Presence::optional, *this; }

    std::string sentence, measured_in, default_rule;
    Presence presence = Presence::has_default;
};
inline About about(std::string text) {
    return About(std::move(text));
}

/// An input file under the data directory. `name` is as in the configuration, at first the default, if it has one;
/// `path` is the path of the file, empty if it is not there.
struct DataFile {
    std::string name = {};
    std::filesystem::path path = {};
};
/// The same relative to the configuration's directory.
struct InputFile {
    std::string name = {};
    std::filesystem::path path = {};
};

/// A legal value of a choice by name, and a sentence on it.
struct NamedOption {
    std::string name, sentence = {};
};
template <class E>
struct Choice {
    std::string name;
    E value;
    std::string sentence = {};
};

/// All legal values of a choice, in the order in which messages list them.
template <class E>
class Choices {
  public:
    Choices(std::initializer_list<Choice<E>> all) : all_(all) {}
    explicit Choices(std::vector<Choice<E>> all) : all_(std::move(all)) {}
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    const std::string& name_of(E value) const { return choice_of(value).name; }
    const std::string& sentence_of(E value) const { return choice_of(value).sentence; }
    /// The value of a name, or `otherwise`.
    E value_of(const std::string& name, E otherwise) const {
        for (const auto& choice : all_)
            if (choice.name == name)
                return choice.value;
        return otherwise;
    }

  private:
    const Choice<E>& choice_of(E value) const {
        for (const auto& choice : all_)
            if (choice.value == value)
                return choice;
        throw ContractViolation("a value that is none of the choices has no name");
    }
    std::vector<Choice<E>> all_;
};

/// The condition under which a key has a meaning, as descriptions print it and editors check it.
struct Condition {
    enum class Kind { equals, given, not_given, sentence };
    Kind kind = Kind::sentence;
    std::string sentence;
    std::string key = {};                 ///< of the same table; empty for a sentence
    std::vector<std::string> values = {}; ///< of equals: any of these
    bool is_text = true;                  ///< of equals: values are texts, not numbers or truth values
};

} // namespace pearlite
