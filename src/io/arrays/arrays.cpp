#include "pearlite/io/arrays.hpp"
#include "io/arrays/delimited.hpp"
#include "io/arrays/fields.hpp"
#include "io/container/hdf5_handle.hpp"
#include "io/files/child_process.hpp"
#include "io/files/posix_file.hpp"
#include "io/files/text_file.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::io {

namespace {

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
    const auto table =
        read_delimited(read_text_file(file, "comma-separated numbers under a header line"), source, "numbers");
    RowCollector rows(source, table.names);
    for (const auto& row : table.rows) {
        rows.add(row.fields, row.line);
    }
    return std::move(rows).table();
}

Table read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
    const std::string source = file.string();
    const auto table = read_delimited(read_text_file(file, "comma-separated values under a header line"), source);
    const Table header{table.names, {}, source};
    std::vector<std::size_t> places;
    places.reserve(columns.size());
    for (const auto& name : columns) {
        places.push_back(static_cast<std::size_t>(header.column(name)));
    }
    RowCollector rows(source, columns);
    for (const auto& row : table.rows) {
        std::vector<std::string> chosen;
        chosen.reserve(places.size());
        for (const std::size_t place : places) {
            chosen.push_back(row.fields[place]);
        }
        rows.add(chosen, row.line);
    }
    return std::move(rows).table();
}

Vector read_column(const std::filesystem::path& file, const std::string& column) {
    const std::string source = file.string(), text = read_text_file(file, "a table of numbers");
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
    const std::string text = read_text_file(file, "lines that begin and end with numbers");
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
    const std::string text = read_text_file(file, "comma-separated numbers");
    return rows_of_fields(split_lines(text), file.string(), {});
}

Table read_columns(const std::filesystem::path& file) {
    const std::string source = file.string();
    const std::string text = read_text_file(file, "columns of numbers between blanks");
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

namespace {

/// `rows` has a row of the dataset in each column.
void require_finite(const Matrix& rows, const std::string& where) {
    for (Index row = 0; row < rows.cols(); ++row)
        for (Index number = 0; number < rows.rows(); ++number)
            if (!std::isfinite(rows(number, row)))
                throw InputError(where + ", row " + std::to_string(row) + ", number " + std::to_string(number) +
                                 ": the value is not finite (got " + std::to_string(rows(number, row)) +
                                 "), expected a finite number");
}

std::vector<Matrix> read_rows_here(const ReadRequest& request) {
    const auto& [path, name, largest, least_dimensions] = request;
    const QuietHdf5 quiet;
    const std::string source = path.string();
    try {
        if (H5Fis_hdf5(source.c_str()) <= 0)
            throw InputError(source + ": not an HDF5 file that can be read");
        const std::string where = source + ": dataset '" + name + "'";
        const Hdf5Handle file(H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                              source + " cannot be opened");
        const Hdf5Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose, where + " is missing");
        const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, where + ": cannot read the type");
        const auto kind = H5Tget_class(type.get());
        if (kind != H5T_FLOAT && kind != H5T_INTEGER)
            throw InputError(where + ": wrong type, expected numbers");
        const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, where + ": cannot read the shape");
        const int rank = H5Sget_simple_extent_ndims(space.get());
        if (rank < least_dimensions || rank > 3)
            throw InputError(where + ": wrong number of dimensions (got " + std::to_string(rank) + "), expected " +
                             (least_dimensions == 1 ? "rows, " : "") + "rows x numbers, or images x rows x columns");
        hsize_t sizes[3] = {1, 1, 1};
        hdf5_check(H5Sget_simple_extent_dims(space.get(), sizes, nullptr), where + ": cannot read the shape");
        constexpr hsize_t most_numbers = hsize_t{1} << 24, most_rows = hsize_t{1} << 32;
        if (sizes[0] < 1 || sizes[0] > most_rows || sizes[1] < 1 || sizes[1] > most_numbers || sizes[2] < 1 ||
            sizes[2] > most_numbers / sizes[1])
            throw InputError(where + ": impossible sizes, expected at least one row and one number");
        const hsize_t count[3] = {std::min(sizes[0], static_cast<hsize_t>(largest)), sizes[1], sizes[2]};
        const hsize_t start[3] = {0, 0, 0};
        hdf5_check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr), where);
        Matrix rows(static_cast<Index>(sizes[1] * sizes[2]), static_cast<Index>(count[0]));
        const Hdf5Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose, where);
        hdf5_check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, rows.data()),
                   where + " cannot be read");
        require_finite(rows, where);
        return {rows.transpose()};
    } catch (const FileError& error) {
        throw InputError(error.what()); // the user's file cannot be read: bad input
    }
}

} // namespace

Matrix read_hdf5_rows(const std::filesystem::path& path, const std::string& name, Index largest, int least_dimensions) {
    require_readable_file(path, "numbers in HDF5");
    return read_in_child_process(read_rows_here, {path, name, largest, least_dimensions}).at(0);
}

} // namespace pearlite::io
