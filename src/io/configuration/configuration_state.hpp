#pragma once
/// State shared by a configuration and its sections: the parsed table, the origin of each value, the keys asked for and
/// every mistake so far. Private to the configuration sources, so that toml++ stays out of the public headers.

#include "pearlite/io/configuration.hpp"

#include <toml++/toml.h>

namespace pearlite::io {

/// The place that a message points to, and its order among messages: lines of the file, then the file as a whole, then
/// overrides.
struct Place {
    Index order;
    std::string text;
};

struct Mistake {
    Place place;
    std::string message;
};

/// A --set argument: `path` is its key, `argument` the whole of it as typed.
struct Override {
    std::string path;
    std::string argument;
};

/// A key that was asked for. `text` is its value as TOML, absent if there is none (a mistake, or only has() was asked);
/// `provisional` marks the unconverted text that has() leaves until a typed look-up replaces it.
struct AskedKey {
    std::string section;
    std::string key;
    std::optional<std::string> text;
    bool provisional = false;
};

/// A key for alternatives to the choice made: legal, without effect. `elements`: only these of a list; none: all of it.
struct SetAside {
    std::string section;
    std::string key;
    std::vector<std::string> elements;
};

struct Configuration::State {
    std::string name;
    std::filesystem::path directory;
    std::optional<std::filesystem::path> data_directory;
    toml::table root;
    std::vector<Override> overrides; ///< overrides still in force, in order
    std::vector<Mistake> mistakes;
    std::vector<std::string> remarks;
    std::vector<std::string> sections;                                ///< every table asked for, in order
    std::vector<AskedKey> asked;                                      ///< every key asked for, in order
    std::vector<SetAside> set_aside;                                  ///< every key set aside, in order
    std::vector<std::pair<std::string, std::filesystem::path>> files; ///< by key, as found
    /// A choice failed, so that the keys of the right choice are not known.
    bool names_incomplete = false;

    /// Puts the argument of a --set into the table; InputError if it is not `key.path=value`.
    void apply_override(const std::string& argument);
    bool wants_short_form() const; ///< run.short
    /// With run.short the values of [short] stand in for those of its keys, except where there is an override; [short]
    /// is then done with, and run.short false, as in a file of the same run that was written in full.
    void take_short_form();

    /// The node at a dotted path, or null.
    const toml::node* find(const std::string& path) const;
    /// The place of a dotted path: its override, its line, or else the line of the innermost table that exists.
    Place place(const std::string& path) const;
    Place place(const std::string& path, const toml::key& key) const;
    void record(const Place& place, const std::string& message);

    void know_section(const std::string& section);
    AskedKey& ask(const std::string& section, const std::string& key);
    /// Remembers the value of a key; ContractViolation if the key was asked for before and had another value.
    void remember(const std::string& section, const std::string& key, const std::string& text);

    /// Remembers an input file that a key names; returns its path.
    std::filesystem::path take_file(const std::string& section, const std::string& key, std::filesystem::path path);

    /// Records every table and key that nobody asked for; or those of one table, which stands at `path`.
    void record_unknown_names();
    void record_unknown_names(const toml::table& table, const std::string& path);

  private:
    std::optional<Place> override_place(const std::string& path) const;
    Place line_place(Index line) const;
};

std::string join_path(const std::string& table, std::string_view key);
std::vector<std::string> split_path(std::string_view path);

/// The table in `text`, the contents of `name`. Throws InputError with name:line:column if it is not TOML.
toml::table parse_toml(std::string_view text, const std::string& name);

/// Values as TOML: floats in their shortest exact form, with a point or an exponent.
std::string toml_text(Index value);
std::string toml_text(double value);
std::string toml_text(bool value);
std::string toml_text(const std::string& value);
std::string toml_text(const std::vector<double>& value);
std::string toml_text(const std::vector<std::string>& value);
std::string toml_text(const toml::node& node);

/// The candidate that differs least from `name`, if it is near enough to be meant.
std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates);
/// "a, b, c", each between `before` and `after`.
std::string listed(const std::vector<std::string>& names, const std::string& before = "",
                   const std::string& after = "");

} // namespace pearlite::io
