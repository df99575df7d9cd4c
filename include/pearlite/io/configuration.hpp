#pragma once
/// TOML configurations: typed look-ups that remember every mistake, so that all are reported at once, each with file,
/// line, key and what was expected; and the resolved configuration, with every default that was used.

#include "pearlite/core/detail/key_values.hpp"
#include "pearlite/core/types.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pearlite::io {

using pearlite::Range;

class Section;
class SweepGrid;

class Configuration {
  public:
    /// Parses a file. `overrides` are `key.path=value` strings (--set), the value in TOML syntax or, failing that,
    /// taken as a string; later ones win. With `run.short = true` the keys in [short] come before those in their
    /// tables. Throws InputError (file, line, column) on syntax errors.
    static Configuration load(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
                              const std::optional<std::filesystem::path>& data_directory = {});
    /// The same from text; `name` stands for the file in messages, relative paths are taken from `directory`.
    static Configuration parse(std::string_view text, const std::string& name, const std::filesystem::path& directory,
                               const std::vector<std::string>& overrides = {},
                               const std::optional<std::filesystem::path>& data_directory = {});

    /// The table [name]; an absent one is an empty table.
    Section section(const std::string& name);
    bool has_section(const std::string& name) const;

    /// Records a mistake found elsewhere (impossible combinations); `key` as "model.size".
    void error(const std::string& key, const std::string& message);

    /// Throws InputError with every recorded mistake, one a line, if there is any: also unknown tables and unknown keys
    /// (keys never asked for), with the nearest known name as a suggestion. Call once all look-ups are done.
    void check();
    /// The same for the mistakes recorded so far, with no judgement of keys that were not asked for.
    void check_asked() const;
    bool has_errors() const;

    /// TOML text with every key that was asked for and its value, in order of asking: run as a configuration, it gives
    /// the same run. Paths are absolute or as written.
    std::string resolved() const;
    /// Keys that are present but were set aside (Section::set_aside): "section.key", or "section.key (elements)".
    std::vector<std::string> unused() const;

    /// Remembers a sentence about the file that a key names: how it was read, where a person may expect otherwise.
    void remark(const std::string& key, const std::string& text);
    const std::vector<std::string>& remarks() const;

    /// The input files that keys have named so far: "model.data", and the path.
    std::vector<std::pair<std::string, std::filesystem::path>> files() const;

    /// The directory at which relative data paths start, if known (--data-dir or PEARLITE_DATA_DIR).
    std::optional<std::filesystem::path> data_directory() const;
    /// The directory at which other relative paths start: that of the TOML file.
    std::filesystem::path directory() const;

    struct State;

  private:
    friend class SweepGrid;
    std::shared_ptr<State> state_;
};

/// One table of a configuration. A look-up that fails (wrong type, outside the range, missing without a default)
/// records the mistake and returns the fallback (or a zero value), so that the rest can be checked too.
class Section {
  public:
    bool has(const std::string& key) const;

    Index integer(const std::string& key, std::optional<Index> fallback = {}, Range<Index> range = {});
    /// An integer, or a text that is `word`: no value, as is a fallback of none.
    std::optional<Index> integer_or(const std::string& word, const std::string& key, std::optional<Index> fallback,
                                    Range<Index> range = {});
    /// An integer is accepted as a number.
    double number(const std::string& key, std::optional<double> fallback = {}, Range<double> range = {});
    bool boolean(const std::string& key, std::optional<bool> fallback = {});
    std::string text(const std::string& key, const std::optional<std::string>& fallback = {});
    /// One of `options`; a wrong value's message lists them and suggests the nearest.
    std::string choice(const std::string& key, const std::vector<std::string>& options,
                       const std::optional<std::string>& fallback = {});
    std::vector<double> numbers(const std::string& key, std::optional<std::vector<double>> fallback = {});
    /// Different texts, each one of `options` (any text if there are none), no text only if that is the fallback; a
    /// wrong one's message lists them.
    std::vector<std::string> choices(const std::string& key, const std::vector<std::string>& options,
                                     std::optional<std::vector<std::string>> fallback = {});
    /// A duration in seconds: a number, or text as [D-]HH:MM:SS.
    double seconds(const std::string& key, std::optional<double> fallback = {});
    /// A duration, or a text that is `word`: no value, as is a fallback of none.
    std::optional<double> seconds_or(const std::string& word, const std::string& key, std::optional<double> fallback);
    /// An input file that must exist: under the data directory (data_file) or the configuration's directory (file). The
    /// message for a missing data file names the directory searched, or says how to set one.
    std::optional<std::filesystem::path> data_file(const std::string& key,
                                                   const std::optional<std::string>& fallback = {});
    std::optional<std::filesystem::path> file(const std::string& key, const std::optional<std::string>& fallback = {});

    /// Keys that have a meaning only for alternatives to the choices made: legal, without effect, and left
    /// out of the resolved configuration. So one configuration serves a whole family.
    void set_aside(const std::vector<std::string>& keys);
    /// The same for elements of a list that is asked for.
    void set_aside_elements(const std::string& key, const std::vector<std::string>& elements);

    /// Records a mistake about `key` of this table.
    void error(const std::string& key, const std::string& message);
    /// The same for a value that is legal but does not fit the other keys. As after an illegal value, the keys that
    /// belong to the right one are unknown, so check() reports an unknown key only if it looks like a typing error.
    void refuse_choice(const std::string& key, const std::string& message);
    const std::string& name() const;

  private:
    friend class Configuration;
    Section(std::shared_ptr<Configuration::State> state, std::string name);
    std::shared_ptr<Configuration::State> state_;
    std::string name_;
};

/// Seconds from "S", "S.s" or "[D-]HH:MM:SS"; InputError otherwise.
double parse_duration(const std::string& text);

} // namespace pearlite::io
