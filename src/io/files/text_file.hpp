#pragma once
/// Text files that people bring: in UTF-8, or refused in words with the place.

#include <filesystem>
#include <string>
#include <string_view>

namespace pearlite::io {

/// The columns of a message: characters of a line, or fields of a table between commas, semicolons or tabs.
enum class TextColumns { characters, fields };

/// A phrase for contents that are no plain text, such as "an Excel workbook (.xlsx)"; empty for all others.
std::string kind_of_contents(std::string_view bytes);

/// InputError unless the bytes are text in UTF-8: it describes a file of another kind in words, and names line, column
/// and encoding of other text, with the command that converts it.
void require_utf8(std::string_view bytes, const std::string& source, const std::string& expected, TextColumns columns);

/// The text without a byte-order mark of UTF-8.
std::string_view without_mark(std::string_view text);

/// All of a text file, without a byte-order mark. InputError as read_whole_file and require_utf8.
std::string read_text_file(const std::filesystem::path& file, const std::string& expected,
                           TextColumns columns = TextColumns::fields);

} // namespace pearlite::io
