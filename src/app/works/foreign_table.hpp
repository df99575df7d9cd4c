#pragma once
/// Tables of numbers as other programs write them, and which of their columns has the numbers that are wanted.

#include "pearlite/core/types.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// A column that is wanted, and what names it may have.
struct WantedColumn {
    std::string what;               ///< "works"
    std::vector<std::string> words; ///< a word of the name, in lower case: "work"
    std::vector<std::string> parts; ///< a part of the name, in lower case: "dh/d"
    bool follows_times = false;     ///< the first column is another one: it has the times
};

/// Columns between commas, or blanks if the first line has no comma; a header if no field of the first line is a
/// number, or legends (.xvg), or the words of a line with # before the first row; lines with # and @ are skipped.
class ForeignTable {
  public:
    /// InputError for rows of different lengths, and for fewer than two.
    static ForeignTable read(const std::filesystem::path& file);

    const std::string& source() const { return source_; }
    Index rows() const { return std::ssize(rows_); }
    std::size_t columns() const { return n_columns_; }
    /// Empty if the file names no columns.
    const std::vector<std::string>& names() const { return names_; }

    /// The place of the column of this name, or of this number from 1. Without a name: the only column; the only one
    /// whose name means that it is wanted; or the only one that is left without texts, counts, times and replicas.
    /// InputError lists the columns otherwise.
    std::size_t place_of(const std::string& column, const WantedColumn& wanted) const;
    /// Numbers of a column; `infinite` is the only one that need not be finite. InputError with line and column.
    Vector numbers(std::size_t place, std::optional<double> infinite = {}) const;
    /// "column 2 ('work')".
    std::string label(std::size_t place) const;
    /// Labels of all other columns.
    std::vector<std::string> others(std::size_t place) const;

  private:
    std::optional<double> number(const std::string& text, std::optional<double> infinite = {}) const;
    bool has_decimal_commas() const;
    bool is_count(std::size_t place) const;
    std::vector<std::size_t> candidates(const WantedColumn& wanted) const;

    std::string source_;
    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<Index> lines_;
    std::size_t n_columns_ = 0;
    bool has_commas_ = false;
};

} // namespace pearlite::app
