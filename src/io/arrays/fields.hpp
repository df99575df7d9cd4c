#pragma once
/// Lines and fields of texts of numbers.

#include "pearlite/core/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

/// A line without its end, and its number in the file.
struct Line {
    std::string_view text;
    Index number;
};

/// "file:12: ".
std::string at(const std::string& source, Index line);
std::string_view without_blanks(std::string_view text);
/// The length of the first line without its end, which is LF, CRLF or CR.
std::size_t end_of_line(std::string_view text);
/// Removes one line end from the begin of a text, if it is not empty.
void remove_line_end(std::string_view& text);
/// The lines of a text, without a byte-order mark and without blank lines at the end.
std::vector<Line> split_lines(std::string_view text);
/// The fields of a line of comma-separated values; quotes are removed, doubled quotes inside them are one.
std::vector<std::string> split_fields(const Line& line, const std::string& source);
/// The words of a line.
std::vector<std::string> split_blanks(std::string_view text);
/// The text with the letters A to Z as a to z.
std::string lower_case(std::string_view text);
/// The number that a text is, if it is one and finite.
std::optional<double> finite_number(std::string_view text);
/// InputError about the names of the columns in a header line: numbers only, or a name that stands twice.
void check_names(const std::vector<std::string>& names, const Line& line, const std::string& source);
/// Names of the columns of a line of comma-separated values. Numbers in their place mean that the header is missing,
/// which would cost the first row.
std::vector<std::string> read_header(const Line& line, const std::string& source);

} // namespace pearlite::io
