#include "pearlite/io/arrays.hpp"

#include "io/files/whole_file.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

namespace pearlite::io {
namespace {

/// A line without its end, and its number in the file.
struct Line {
    std::string_view text;
    Index number;
};

std::string at(const std::string& source, Index line) {
    return source + ":" + std::to_string(line) + ": ";
}

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The lines of a text (LF or CRLF), without a byte-order mark and without blank lines at the end.
std::vector<Line> split_lines(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    std::vector<Line> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.push_back({line, static_cast<Index>(lines.size()) + 1});
    }
    while (!lines.empty() && without_blanks(lines.back().text).empty()) {
        lines.pop_back();
    }
    return lines;
}

/// The fields of a line of comma-separated values; quotes are removed, doubled quotes inside them are one.
std::vector<std::string> split_fields(const Line& line, const std::string& source) {
    std::vector<std::string> fields;
    std::string_view rest = line.text;
    while (true) {
        std::string field;
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        for (bool first = true; rest.starts_with('"'); first = false) {
            const std::size_t end = rest.find('"', 1);
            if (end == std::string_view::npos) {
                throw InputError(at(source, line.number) + "column " + std::to_string(fields.size() + 1) +
                                 ": a quote is not closed, expected \"");
            }
            field += first ? "" : "\"";
            field += rest.substr(1, end - 1);
            rest.remove_prefix(end + 1);
        }
        const std::size_t comma = rest.find(',');
        field += without_blanks(rest.substr(0, comma));
        fields.push_back(std::move(field));
        if (comma == std::string_view::npos) {
            return fields;
        }
        rest.remove_prefix(comma + 1);
    }
}

std::vector<std::string> split_blanks(std::string_view text) {
    std::vector<std::string> fields;
    while (!(text = without_blanks(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        fields.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return fields;
}

std::optional<double> finite_number(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Collects rows of equal length and turns them into a matrix.
class RowCollector {
  public:
    RowCollector(std::string source, std::vector<std::string> names)
        : source_(std::move(source)), names_(std::move(names)), columns_(static_cast<Index>(names_.size())) {}

    void add(const std::vector<std::string>& fields, Index line) {
        const auto found = static_cast<Index>(fields.size());
        if (columns_ == 0) {
            columns_ = found;
            first_line_ = line;
        }
        if (found != columns_) {
            throw InputError(at(source_, line) + "wrong number of columns (got " + std::to_string(found) +
                             "), expected " + std::to_string(columns_) + " as in line " + std::to_string(first_line_));
        }
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const auto value = finite_number(fields[i]);
            if (!value) {
                const std::string name = names_.empty() ? "" : " ('" + names_[i] + "')";
                throw InputError(at(source_, line) + "column " + std::to_string(i + 1) + name +
                                 ": not a number (got \"" + fields[i] + "\"), expected a finite number");
            }
            values_.push_back(*value);
        }
    }

    Table table() && {
        if (values_.empty()) {
            throw InputError(source_ + ": no rows of numbers, expected at least one");
        }
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Index rows = static_cast<Index>(values_.size()) / columns_;
        return {std::move(names_), Eigen::Map<const RowMajor>(values_.data(), rows, columns_), std::move(source_)};
    }

  private:
    std::string source_;
    std::vector<std::string> names_;
    Index columns_;
    Index first_line_ = 1;
    std::vector<double> values_;
};

/// Where in a row of n fields the column is that a person has named, or numbered from 1; the last for an empty name.
std::size_t place_of(const std::string& column, const std::vector<std::string>& names, std::size_t n,
                     const std::string& where) {
    if (column.empty())
        return n - 1;
    if (const auto named = std::ranges::find(names, column); named != names.end())
        return static_cast<std::size_t>(named - names.begin());
    const auto number = finite_number(column);
    if (number && *number >= 1 && *number <= static_cast<double>(n) && *number == std::floor(*number))
        return static_cast<std::size_t>(*number) - 1;
    std::string known;
    for (const auto& name : names)
        known += name + ", ";
    throw InputError(where + "no column \"" + column + "\", expected " + known + "or a number from 1 to " +
                     std::to_string(n));
}

/// Names of the columns. Numbers in their place mean that the header is missing, which would cost the first row.
std::vector<std::string> read_header(const Line& line, const std::string& source) {
    std::vector<std::string> names = split_fields(line, source);
    if (std::all_of(names.begin(), names.end(), [](const auto& name) { return finite_number(name).has_value(); })) {
        throw InputError(at(source, line.number) + "numbers only (got \"" + std::string(line.text) +
                         "\"), expected a header line with the names of the columns");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].empty() && std::find(names.begin(), names.begin() + static_cast<Index>(i), names[i]) !=
                                     names.begin() + static_cast<Index>(i)) {
            throw InputError(at(source, line.number) + "column " + std::to_string(i + 1) + ": the name '" + names[i] +
                             "' stands twice, expected different names");
        }
    }
    return names;
}

/// Lines of comma-separated numbers.
Table rows_of_fields(std::span<const Line> lines, const std::string& source, std::vector<std::string> names) {
    RowCollector rows(source, std::move(names));
    for (const Line& line : lines) {
        if (without_blanks(line.text).empty()) {
            throw InputError(at(source, line.number) + "blank line, expected a row of numbers");
        }
        rows.add(split_fields(line, source), line.number);
    }
    return std::move(rows).table();
}

} // namespace

Index Table::column(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
        return found - names.begin();
    }
    std::string known;
    for (const std::string& other : names) {
        known += (known.empty() ? "" : ", ") + other;
    }
    throw InputError(source + ": there is no column '" + name + "'" +
                     (names.empty() ? ", the columns have no names" : ", the columns are " + known));
}

Table read_csv(const std::filesystem::path& file) {
    const std::string source = file.string();
    const std::string text = read_whole_file(file, "comma-separated numbers under a header line");
    const std::vector<Line> lines = split_lines(text);
    if (lines.empty()) {
        throw InputError(source + ": the file is empty, expected a header line and rows of numbers");
    }
    return rows_of_fields(std::span(lines).subspan(1), source, read_header(lines.front(), source));
}

Table read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
    const std::string source = file.string();
    const std::string text = read_whole_file(file, "comma-separated values under a header line");
    const std::vector<Line> lines = split_lines(text);
    if (lines.empty()) {
        throw InputError(source + ": the file is empty, expected a header line and rows of values");
    }
    const Table header{read_header(lines.front(), source), {}, source};
    std::vector<std::size_t> places;
    places.reserve(columns.size());
    for (const auto& name : columns) {
        places.push_back(static_cast<std::size_t>(header.column(name)));
    }
    RowCollector rows(source, columns);
    for (const Line& line : std::span(lines).subspan(1)) {
        const auto fields = split_fields(line, source);
        if (fields.size() != header.names.size()) {
            throw InputError(at(source, line.number) + "wrong number of columns (got " + std::to_string(fields.size()) +
                             "), expected " + std::to_string(header.names.size()) + " as in line 1");
        }
        std::vector<std::string> chosen;
        chosen.reserve(places.size());
        for (const std::size_t place : places) {
            chosen.push_back(fields[place]);
        }
        rows.add(chosen, line.number);
    }
    return std::move(rows).table();
}

Vector read_column(const std::filesystem::path& file, const std::string& column) {
    const std::string source = file.string(), text = read_whole_file(file, "a table of numbers");
    auto lines = split_lines(text);
    std::erase_if(lines, [](const Line& line) {
        const auto words = without_blanks(line.text);
        return words.empty() || words.front() == '#' || words.front() == '@';
    });
    const bool has_commas = !lines.empty() && lines.front().text.find(',') != std::string_view::npos;
    const auto fields_of = [&](const Line& line) {
        return has_commas ? split_fields(line, source) : split_blanks(line.text);
    };
    std::vector<double> values;
    std::size_t place = 0, n_fields = 0;
    for (const auto& line : lines) {
        const auto fields = fields_of(line);
        if (line.number == lines.front().number) {
            const bool is_header =
                std::ranges::none_of(fields, [](const auto& f) { return finite_number(f).has_value(); });
            n_fields = fields.size();
            place =
                place_of(column, is_header ? fields : std::vector<std::string>(), n_fields, at(source, line.number));
            if (is_header)
                continue;
        }
        if (fields.size() != n_fields)
            throw InputError(at(source, line.number) + "wrong number of columns (got " + std::to_string(fields.size()) +
                             "), expected " + std::to_string(n_fields) + " as in line " +
                             std::to_string(lines.front().number));
        const auto value = finite_number(fields[place]);
        if (!value)
            throw InputError(at(source, line.number) + "column " + std::to_string(place + 1) +
                             ": not a number (got \"" + fields[place] + "\"), expected a finite number");
        values.push_back(*value);
    }
    if (values.size() < 2)
        throw InputError(source + ": " + std::to_string(values.size()) + " row(s) of numbers, expected at least two");
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Vector read_last_numbers(const std::filesystem::path& file) {
    const std::string text = read_whole_file(file, "lines that begin and end with numbers");
    std::vector<double> values;
    std::size_t n_fields = 0;
    std::optional<Line> other; // the first line after the table's beginning that is not one of it
    for (const Line& line : split_lines(text)) {
        const auto fields = split_blanks(line.text);
        if (fields.empty() || !finite_number(fields.front())) {
            if (!values.empty() && !other) {
                other = line;
            }
            continue;
        }
        if (other) {
            throw InputError(at(file.string(), other->number) + "between lines of the table (got \"" +
                             std::string(other->text) + "\"), expected a line that begins and ends with a number");
        }
        const auto value = finite_number(fields.back());
        if (!value) {
            throw InputError(at(file.string(), line.number) + "not a number (got \"" + fields.back() +
                             "\"), expected a line that ends with a finite number");
        }
        if (values.empty()) {
            n_fields = fields.size();
        } else if (fields.size() != n_fields) {
            throw InputError(at(file.string(), line.number) + "wrong number of fields (got " +
                             std::to_string(fields.size()) + "), expected " + std::to_string(n_fields) +
                             " as in the table's first line");
        }
        values.push_back(*value);
    }
    if (values.size() < 2) {
        throw InputError(file.string() + ": " + std::to_string(values.size()) +
                         " lines begin and end with a number, expected at least two");
    }
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Table read_bare_csv(const std::filesystem::path& file) {
    const std::string text = read_whole_file(file, "comma-separated numbers");
    return rows_of_fields(split_lines(text), file.string(), {});
}

Table read_columns(const std::filesystem::path& file) {
    const std::string source = file.string();
    const std::string text = read_whole_file(file, "columns of numbers between blanks");
    RowCollector rows(source, {});
    for (const Line& line : split_lines(text)) {
        const std::string_view content = without_blanks(line.text);
        if (!content.empty() && !content.starts_with('#')) {
            rows.add(split_blanks(content), line.number);
        }
    }
    return std::move(rows).table();
}

Table stack_rows(const Table& first, const Table& second) {
    if (first.values.cols() != second.values.cols()) {
        throw InputError(second.source + ": wrong number of columns (got " + std::to_string(second.values.cols()) +
                         "), expected " + std::to_string(first.values.cols()) + " as in " + first.source);
    }
    Table stacked{first.names, Matrix(first.values.rows() + second.values.rows(), first.values.cols()), first.source};
    stacked.values << first.values, second.values;
    return stacked;
}

} // namespace pearlite::io
