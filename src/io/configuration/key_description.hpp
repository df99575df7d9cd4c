#pragma once
/// Describes the keys that settings structs list (core/keys.hpp), for people, for editors and for tests: names, types,
/// ranges, defaults, units, conditions and sentences.

#include "pearlite/core/keys.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::io {

struct KeyDescription {
    enum class Type { integer, number, boolean, text, choice, numbers, choices, seconds, data_file, file, ignored };

    std::string name;
    Type type = Type::text;
    std::vector<NamedOption> options; ///< of choice and choices; empty: any text
    Limits limits;                    ///< of integer and number
    std::string word;                 ///< that an integer's place may hold instead; empty: none
    /// The default as TOML; absent if the key must be given or may be left out, or if the default depends on others.
    std::optional<std::string> standard;
    About about{""};
    std::vector<Condition> conditions; ///< all must hold, or the key has no meaning
};

/// All keys of a table, for models and algorithms of these names; an empty list stands for all of them.
struct TableDescription {
    std::string table;
    std::vector<std::string> models, algorithms;
    std::vector<KeyDescription> keys;
    bool is_complete = true; ///< false: there are more keys, of a user's class or swept ones
};

/// The keys that `list` lists, table by table: keys of `table`, and keys of other tables it enters.
std::vector<TableDescription> describe_keys(const std::string& table, const std::function<void(Keys&)>& list);

/// The expected values as error messages print them: "an integer in [2, inf)", "one of "a", "b"".
std::string expectation(const KeyDescription& key);
/// "32", "size x size", "none", "" (it must be given).
std::string default_text(const KeyDescription& key);
/// "move is metropolis, if update is given".
std::string conditions_text(const KeyDescription& key);

/// Tables for a terminal; `only` is empty or a table, perhaps of one algorithm or model: "run", "model.ising",
/// "algorithm.smc". InputError with the existing names if there is no such table.
std::string keys_as_text(const std::vector<TableDescription>& tables, const std::string& only);
/// The reference as Markdown.
std::string keys_as_markdown(const std::vector<TableDescription>& tables);
/// A model by name; `standard_algorithm` runs if the configuration names no algorithm, or `first_algorithm` by the
/// defaults of the first release.
struct ModelDescription {
    std::string name, standard_algorithm, first_algorithm;
    std::vector<std::string> algorithms; ///< that suit it
};
struct ConfigurationDescription {
    std::vector<ModelDescription> models;
    std::vector<TableDescription> tables;
};
/// A JSON schema (draft 7) of the configuration. It accepts every configuration that the program accepts, and refuses
/// unknown keys, wrong types, values out of range, and keys with a condition that it can express and that fails.
std::string keys_as_json_schema(const ConfigurationDescription& configuration);

} // namespace pearlite::io
