#pragma once
/// Configurations changed by a program, with a person's comments and layout left as they are.

#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

/// A configuration's text with overrides (as for Configuration::load) written into it: values that stand there are
/// replaced in place; a new key goes below the last one of its table, a new table to the end. Nothing else changes.
/// `name` stands for the text in messages. Throws InputError for text or overrides that are no TOML, and where a key
/// cannot be written (a table of dotted keys, say), which it says.
std::string with_overrides(std::string_view text, const std::string& name, const std::vector<std::string>& overrides);

/// The text with its short form taken, if it or the overrides ask for it with run.short: the values in [short] are
/// written into the tables of their keys, and run.short is false. Overrides of other keys are not written. The text
/// itself if there is no such wish. InputError as with_overrides.
std::string with_short_form(std::string_view text, const std::string& name, const std::vector<std::string>& overrides);

/// The text without a table: its header and the lines of its values, with comments among them. The text itself if it
/// has no such table; InputError if the table has no header line.
std::string without_table(std::string_view text, const std::string& name, const std::string& table);

} // namespace pearlite::io
