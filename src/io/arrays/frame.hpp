#pragma once
/// Tables as people have them: columns of numbers and of words under a header line, with values that are missing.

#include "pearlite/core/labelled_array.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pearlite::io {

/// Rows of texts. Everything that is wrong with one of them is an InputError with file, line and column.
class Frame {
  public:
    /// Values between separators under a header line (.csv and any other extension but those below), or columns
    /// between blanks (.dat, .txt), which are named column1, column2, ... unless they have a header (delimited.hpp).
    /// InputError for a file of another form, a row of another length, or no row.
    static Frame read(const std::filesystem::path& file);

    const std::string& source() const { return source_; }
    const std::vector<std::string>& names() const { return names_; }
    /// Whether the file names its columns; a name may be empty.
    bool has_names() const { return has_names_; }
    /// Sentences on how the file was read, where it could be read otherwise.
    const std::vector<std::string>& remarks() const { return remarks_; }
    Index rows() const { return static_cast<Index>(lines_.size()); }
    /// InputError lists the names there are.
    std::size_t column(const std::string& name) const;
    const std::string& text(Index row, std::size_t column) const;
    /// The line of the file at which a row begins.
    Index line(Index row) const { return lines_[static_cast<std::size_t>(row)]; }

    /// Removes the rows in which one of these columns has one of these texts, and says how many there were.
    Index drop_rows_with(std::span<const std::string> texts, std::span<const std::string> columns);
    /// The rows that there are, and those that were removed.
    const TableRows& table_rows() const { return rows_; }

    /// A column of finite numbers.
    Vector numbers(const std::string& name) const;
    /// The same, and NaN where a text is one of these, which stand for missing values.
    Vector numbers_or_missing(const std::string& name, std::span<const std::string> missing) const;
    /// A column of 0 and 1; or of two words, if they are given: the first is 0.
    Vector zeros_and_ones(const std::string& name, std::span<const std::string> words = {}) const;
    /// A column of whole numbers of at least 0.
    Vector counts(const std::string& name) const;

    /// InputError unless a column has dates, YYYY-MM-DD, each later than the one before.
    void check_dates(const std::string& name) const;

    /// Whether all texts of a column are finite numbers.
    bool is_numeric(std::size_t column) const;
    /// The texts of a column that are different from each other: numbers in their order, words in that of the alphabet.
    std::vector<std::string> levels(const std::string& name) const;
    /// The place of each text of a column among `levels`; InputError for a text that is none of them.
    std::vector<Index> codes(const std::string& name, std::span<const std::string> levels) const;

    /// Throws InputError about a field: "file:12: column 'x': got "red", expected ...".
    [[noreturn]] void refuse(Index row, std::size_t column, const std::string& expected) const;

  private:
    std::string source_;
    std::vector<std::string> names_, remarks_;
    bool has_names_ = true;
    std::vector<std::vector<std::string>> fields_; ///< by row
    std::vector<Index> lines_;                     ///< of the rows
    TableRows rows_;
};

} // namespace pearlite::io
