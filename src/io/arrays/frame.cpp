#include "io/arrays/frame.hpp"

#include "io/arrays/delimited.hpp"
#include "io/arrays/fields.hpp"
#include "io/files/text_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>

namespace pearlite::io {

namespace {

bool is_between_blanks(const std::filesystem::path& file) {
    return file.extension() == ".dat" || file.extension() == ".txt";
}

std::optional<std::chrono::sys_days> date_of(std::string_view text) {
    const auto part = [&](std::size_t from, std::size_t length) {
        int value = 0;
        const char* const begin = text.data() + from;
        const auto [end, error] = std::from_chars(begin, begin + length, value);
        return error == std::errc() && end == begin + length ? value : -1;
    };
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
        return {};
    const int year = part(0, 4), month = part(5, 2), day = part(8, 2);
    if (year < 0 || month < 0 || day < 0)
        return {};
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

} // namespace

Frame Frame::read(const std::filesystem::path& file) {
    Frame frame;
    frame.source_ = file.string();
    const std::string text = read_text_file(file, "a table");
    auto table =
        is_between_blanks(file) ? read_between_blanks(text, frame.source_) : read_delimited(text, frame.source_);
    frame.has_names_ = table.has_names;
    frame.names_ = std::move(table.names);
    frame.remarks_ = std::move(table.remarks);
    for (auto& row : table.rows) {
        frame.fields_.push_back(std::move(row.fields));
        frame.lines_.push_back(row.line);
        frame.rows_.used.push_back(frame.rows());
    }
    frame.rows_.source = frame.source_;
    if (frame.rows() == 0)
        throw InputError(frame.source_ + ": no rows, expected at least one");
    return frame;
}

std::size_t Frame::column(const std::string& name) const {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end())
        return static_cast<std::size_t>(found - names_.begin());
    throw InputError(
        fmt::format("{}: there is no column '{}', the columns are {}", source_, name, fmt::join(names_, ", ")));
}

const std::string& Frame::text(Index row, std::size_t column) const {
    return fields_[static_cast<std::size_t>(row)][column];
}

Index Frame::drop_rows_with(std::span<const std::string> texts, std::span<const std::string> columns) {
    std::vector<std::size_t> places;
    for (const auto& name : columns)
        places.push_back(column(name));
    std::size_t kept = 0;
    for (std::size_t row = 0; row < fields_.size(); ++row) {
        const auto missing = std::ranges::find_if(
            places, [&](std::size_t place) { return std::ranges::find(texts, fields_[row][place]) != texts.end(); });
        if (missing != places.end()) {
            rows_.left_out.push_back({rows_.used[row], names_[*missing]});
            continue;
        }
        if (kept != row) {
            fields_[kept] = std::move(fields_[row]);
            lines_[kept] = lines_[row];
            rows_.used[kept] = rows_.used[row];
        }
        ++kept;
    }
    const auto dropped = static_cast<Index>(fields_.size() - kept);
    fields_.resize(kept);
    lines_.resize(kept);
    rows_.used.resize(kept);
    if (kept == 0)
        throw InputError(fmt::format("{}: a value is missing in every row, expected a whole one", source_));
    return dropped;
}

Vector Frame::numbers(const std::string& name) const {
    const auto place = column(name);
    Vector values(rows());
    for (Index row = 0; row < rows(); ++row) {
        const auto value = finite_number(text(row, place));
        if (!value)
            refuse(row, place, "a finite number");
        values(row) = *value;
    }
    return values;
}

Vector Frame::numbers_or_missing(const std::string& name, std::span<const std::string> missing) const {
    const auto place = column(name);
    Vector values(rows());
    for (Index row = 0; row < rows(); ++row) {
        const bool is_missing = std::ranges::find(missing, text(row, place)) != missing.end();
        const auto value = is_missing ? std::nan("") : finite_number(text(row, place));
        if (!value)
            refuse(row, place, "a finite number");
        values(row) = *value;
    }
    return values;
}

Vector Frame::zeros_and_ones(const std::string& name, std::span<const std::string> words) const {
    const auto place = column(name);
    Vector values(rows());
    for (Index row = 0; row < rows(); ++row) {
        if (!words.empty()) {
            const auto found = std::ranges::find(words, text(row, place));
            if (found == words.end())
                refuse(row, place, fmt::format("\"{}\"", fmt::join(words, "\" or \"")));
            values(row) = static_cast<double>(found - words.begin());
            continue;
        }
        const auto value = finite_number(text(row, place));
        if (value != 0.0 && value != 1.0)
            refuse(row, place, "0 or 1");
        values(row) = *value;
    }
    return values;
}

Vector Frame::counts(const std::string& name) const {
    constexpr double largest = 1e15; // whole numbers are exact up to here
    const auto place = column(name);
    Vector values = numbers(name);
    for (Index row = 0; row < rows(); ++row)
        if (!(values(row) >= 0 && values(row) <= largest && values(row) == std::floor(values(row))))
            refuse(row, place, "a whole number of at least 0");
    return values;
}

void Frame::check_dates(const std::string& name) const {
    const auto place = column(name);
    std::optional<std::chrono::sys_days> before;
    for (Index row = 0; row < rows(); ++row) {
        const auto date = date_of(text(row, place));
        if (!date)
            refuse(row, place, "a date, YYYY-MM-DD");
        if (before && *date <= *before)
            refuse(row, place, "a date later than that of the row before");
        before = date;
    }
}

bool Frame::is_numeric(std::size_t column) const {
    return std::ranges::all_of(fields_, [&](const auto& row) { return finite_number(row[column]).has_value(); });
}

std::vector<std::string> Frame::levels(const std::string& name) const {
    const auto place = column(name);
    std::set<std::string> found;
    for (Index row = 0; row < rows(); ++row)
        found.insert(text(row, place));
    std::vector<std::string> levels(found.begin(), found.end());
    if (std::ranges::all_of(levels, [](const auto& level) { return finite_number(level).has_value(); }))
        std::ranges::stable_sort(levels, {}, [](const auto& level) { return *finite_number(level); });
    return levels;
}

std::vector<Index> Frame::codes(const std::string& name, std::span<const std::string> levels) const {
    const auto place = column(name);
    std::vector<Index> codes;
    for (Index row = 0; row < rows(); ++row) {
        const auto found = std::ranges::find(levels, text(row, place));
        if (found == levels.end())
            refuse(row, place, fmt::format("one of {}", fmt::join(levels, ", ")));
        codes.push_back(found - levels.begin());
    }
    return codes;
}

void Frame::refuse(Index row, std::size_t column, const std::string& expected) const {
    throw InputError(fmt::format("{}column {} ('{}'): got \"{}\", expected {}",
                                 at(source_, lines_[static_cast<std::size_t>(row)]), column + 1, names_[column],
                                 text(row, column), expected));
}

} // namespace pearlite::io
