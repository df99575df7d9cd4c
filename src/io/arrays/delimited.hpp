#pragma once
/// Tables as spreadsheets and statistical programs write them: fields between separators under a header line.

#include "pearlite/core/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

/// The fields of a row, and the line of the file at which it begins.
struct DelimitedRow {
    std::vector<std::string> fields;
    Index line;
};

struct DelimitedTable {
    std::vector<std::string> names;
    bool has_names = true; ///< in the file
    std::vector<DelimitedRow> rows;
    std::vector<std::string> remarks; ///< on how the text was read, where it could be read otherwise
};

/// Fields between commas, semicolons or tabs, whichever the header line has. Lines that start with # and blank lines
/// may stand above the header; the last # line is the header if it has as many fields as the numbers below. Quoted
/// fields may contain separators, line breaks and doubled quotes. Between semicolons (and between tabs, where no comma
/// can be one of thousands) numbers may have decimal commas, unless the file has decimal points, too. A header of one
/// name less than the rows, which begin with a quoted text, belongs to rows with names, as R writes them.
///
/// InputError with line and column: no header or no row, a row of another length, a quote that is not closed.
/// `contents`: "values" or "numbers", for messages.
DelimitedTable read_delimited(std::string_view text, const std::string& source, const char* contents = "values");

/// Columns between blanks, which are called column1, column2, ... unless the first line is a header: words only, above
/// a line with a number. Lines that start with # and blank lines are skipped. A header with commas, semicolons or tabs
/// is that of read_delimited.
DelimitedTable read_between_blanks(std::string_view text, const std::string& source);

} // namespace pearlite::io
