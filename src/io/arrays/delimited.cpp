#include "io/arrays/delimited.hpp"

#include "io/arrays/fields.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace pearlite::io {

namespace {

constexpr std::string_view known_separators = ",;\t";

bool is_remark(std::string_view line) {
    return without_blanks(line).starts_with('#');
}

bool is_one_number(const std::string& field) {
    return finite_number(field).has_value();
}

/// A place in a text, and its line.
class RowReader {
  public:
    RowReader(std::string_view text, const std::string& source) : rest_(text), source_(&source) {}

    bool at_end() const { return without_blanks_and_lines().empty(); }
    Index number() const { return number_; }
    std::string_view line() const { return rest_.substr(0, end_of_line(rest_)); }
    bool begins_with_quote() const { return without_blanks(line()).starts_with('"'); }
    void skip_line() {
        rest_.remove_prefix(end_of_line(rest_));
        remove_line_end(rest_);
        ++number_;
    }

    /// The fields up to the end of a line that is in no quotes.
    std::vector<std::string> row(char separator) {
        std::vector<std::string> fields;
        do
            fields.push_back(field(separator, fields.size() + 1));
        while (take(separator));
        skip_line();
        return fields;
    }

  private:
    bool take(char separator) {
        const bool is_there = rest_.starts_with(separator);
        rest_.remove_prefix(is_there ? 1 : 0);
        return is_there;
    }

    std::string field(char separator, std::size_t column) {
        std::string field;
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t') && rest_.front() != separator)
            rest_.remove_prefix(1);
        for (bool is_first = true; rest_.starts_with('"'); is_first = false) {
            const std::size_t end = rest_.find('"', 1);
            if (end == std::string_view::npos)
                throw InputError(
                    fmt::format("{}column {}: a quote is not closed, expected \"", at(*source_, number_), column));
            const auto inside = rest_.substr(1, end - 1);
            field += is_first ? "" : "\"";
            field += inside;
            for (auto lines = inside; end_of_line(lines) < lines.size(); ++number_) {
                lines.remove_prefix(end_of_line(lines));
                remove_line_end(lines);
            }
            rest_.remove_prefix(end + 1);
        }
        std::size_t end = 0;
        while (end < rest_.size() && rest_[end] != separator && rest_[end] != '\n' && rest_[end] != '\r')
            ++end;
        field += without_blanks(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return field;
    }

    std::string_view without_blanks_and_lines() const {
        return rest_.substr(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    std::string_view rest_;
    const std::string* source_;
    Index number_ = 1;
};

/// The number of fields of the first row at a place; 0 if a quote of it is not closed.
std::size_t row_width(RowReader place, char separator) {
    try {
        return place.row(separator).size();
    } catch (const InputError&) {
        return 0;
    }
}

/// The separator of a header line: the one that gives the first row as many fields, or else the most frequent.
char separator_of(const RowReader& header) {
    char most_frequent = ',';
    std::size_t most = 1;
    for (const char separator : known_separators) {
        const std::size_t n = row_width(header, separator);
        RowReader below = header;
        if (n > 1) {
            below.row(separator);
            if (!below.at_end() && row_width(below, separator) == n)
                return separator;
        }
        if (n > most) {
            most = n;
            most_frequent = separator;
        }
    }
    return most_frequent;
}

/// The separator that a first line of spreadsheets names: sep=;
std::optional<char> named_separator(std::string_view line) {
    auto words = without_blanks(line);
    if (words.size() > 2 && words.starts_with('"') && words.ends_with('"'))
        words = words.substr(1, words.size() - 2);
    const bool names_one = words.size() == 5 && (words.starts_with("sep=") || words.starts_with("SEP="));
    return names_one && known_separators.find(words.back()) != std::string_view::npos ? std::optional(words.back())
                                                                                      : std::nullopt;
}

/// Where the header is. A # line is one if the row below it has numbers and as many fields.
struct FoundHeader {
    RowReader place;
    std::optional<char> separator = {}; ///< if it is named
    bool is_remark = false;
};

FoundHeader find_header(std::string_view text, const std::string& source, const char* contents) {
    const auto expected = fmt::format("expected a header line and rows of {}", contents);
    const auto first = without_blanks(text);
    if (first.starts_with('{') || first.starts_with("[{") || first.starts_with("[["))
        throw InputError(fmt::format("{}: is JSON, {}", source, expected));
    RowReader place(text, source);
    std::optional<char> named;
    std::optional<RowReader> remark;
    while (!place.at_end()) {
        const auto separator = named ? std::nullopt : named_separator(place.line());
        if (separator)
            named = separator;
        else if (is_remark(place.line()))
            remark = place;
        else if (!without_blanks(place.line()).empty())
            break;
        place.skip_line();
    }
    if (place.at_end())
        throw InputError(fmt::format("{}: the file is empty, {}", source, expected));
    if (remark) {
        const char separator = named ? *named : separator_of(*remark);
        const std::size_t n = row_width(*remark, separator);
        const auto below =
            row_width(place, separator) == n ? RowReader(place).row(separator) : std::vector<std::string>();
        if (n > 1 && std::ranges::any_of(below, is_one_number))
            return {*remark, separator, true};
    }
    return {place, named};
}

/// Line breaks and tabs in quoted names are blanks.
std::vector<std::string> names_of(std::vector<std::string> fields, bool is_remark) {
    if (is_remark && !fields.empty()) {
        auto& first = fields.front();
        first.erase(0, first.find_first_not_of("# \t"));
    }
    for (auto& name : fields)
        std::ranges::replace_if(
            name, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return fields;
}

/// Whether a text is a number with a comma in place of the point, and whether this may be one of thousands.
struct CommaNumber {
    bool is_one = false, may_be_thousands = false;
};

CommaNumber comma_number(const std::string& field) {
    const auto comma = field.find(',');
    if (comma == std::string::npos || field.find_first_of(".,", comma + 1) != std::string::npos ||
        field.find('.') != std::string::npos)
        return {};
    auto point = field;
    point[comma] = '.';
    if (!is_one_number(point))
        return {};
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto after = std::ranges::find_if_not(field.begin() + static_cast<Index>(comma) + 1, field.end(), is_digit);
    const auto first = field.find_first_not_of("+-");
    const bool is_grouped =
        after == field.end() && field.size() - comma == 4 && comma > first && field[first] != '0' && comma - first <= 3;
    return {true, is_grouped};
}

/// Decimal commas become points, unless there are points.
void read_decimal_commas(DelimitedTable& table, char separator, const std::string& source) {
    bool has_commas = false, is_certain = separator == ';';
    for (const auto& row : table.rows)
        for (const auto& field : row.fields) {
            const bool has_point = field.find('.') != std::string::npos;
            if (has_point && is_one_number(field))
                return;
            const auto number = comma_number(field);
            has_commas = has_commas || number.is_one;
            is_certain = is_certain || (number.is_one && !number.may_be_thousands);
        }
    if (!has_commas || !is_certain)
        return;
    for (auto& row : table.rows)
        for (auto& field : row.fields)
            if (comma_number(field).is_one)
                field[field.find(',')] = '.';
    table.remarks.push_back(source + ": commas in numbers are decimal points");
}

[[noreturn]] void refuse_length(const std::string& source, Index line, std::size_t found, std::size_t expected,
                                Index header) {
    throw InputError(fmt::format("{}wrong number of columns (got {}), expected {} as in line {}", at(source, line),
                                 found, expected, header));
}

/// Words between blanks; a quoted word may have blanks.
std::vector<std::string> words_of(const Line& line, const std::string& source) {
    std::vector<std::string> words;
    auto rest = line.text;
    while (!(rest = without_blanks(rest)).empty()) {
        const bool is_quoted = rest.starts_with('"');
        const std::size_t end = is_quoted ? rest.find('"', 1) : std::min(rest.find_first_of(" \t"), rest.size());
        if (end == std::string_view::npos)
            throw InputError(fmt::format("{}column {}: a quote is not closed, expected \"", at(source, line.number),
                                         words.size() + 1));
        words.emplace_back(is_quoted ? rest.substr(1, end - 1) : rest.substr(0, end));
        rest.remove_prefix(end + (is_quoted ? 1 : 0));
    }
    return words;
}

/// Whether a header of n names belongs to rows of n + 1 fields, of which the first is a quoted name.
bool lacks_name_of_rows(std::size_t names, std::size_t fields, bool is_quoted) {
    return fields == names + 1 && is_quoted;
}

/// Whether the first line that is no remark has words between known_separators.
bool has_separated_header(std::string_view text, const std::string& source) {
    RowReader place(text, source);
    while (!place.at_end() && (is_remark(place.line()) || without_blanks(place.line()).empty()))
        place.skip_line();
    if (place.at_end() || place.line().find_first_of(known_separators) == std::string_view::npos)
        return false;
    const char separator = separator_of(place);
    return row_width(place, separator) > 1 && std::ranges::none_of(RowReader(place).row(separator), is_one_number);
}

} // namespace

DelimitedTable read_delimited(std::string_view text, const std::string& source, const char* contents) {
    auto [place, named, is_remark] = find_header(text, source, contents);
    const char separator = named ? *named : separator_of(place);
    const Line header{place.line(), place.number()};
    DelimitedTable table;
    table.names = names_of(place.row(separator), is_remark);
    check_names(table.names, header, source);
    while (!place.at_end()) {
        if (without_blanks(place.line()).empty())
            throw InputError(fmt::format("{}blank line, expected a row of {}", at(source, place.number()), contents));
        const Index line = place.number();
        const bool is_quoted = place.begins_with_quote();
        auto fields = place.row(separator);
        if (table.rows.empty() && lacks_name_of_rows(table.names.size(), fields.size(), is_quoted))
            table.names.insert(table.names.begin(), "");
        if (fields.size() != table.names.size())
            refuse_length(source, line, fields.size(), table.names.size(), header.number);
        table.rows.push_back({std::move(fields), line});
    }
    if (separator != ',')
        read_decimal_commas(table, separator, source);
    return table;
}

DelimitedTable read_between_blanks(std::string_view text, const std::string& source) {
    if (has_separated_header(text, source))
        return read_delimited(text, source);
    auto lines = split_lines(text);
    std::erase_if(lines, [](const Line& line) { return without_blanks(line.text).empty() || is_remark(line.text); });
    if (lines.empty())
        throw InputError(source + ": the file is empty, expected a header line and rows of values");
    DelimitedTable table;
    const auto first = words_of(lines.front(), source);
    const bool has_header = lines.size() > 1 && std::ranges::none_of(first, is_one_number) &&
                            std::ranges::any_of(words_of(lines[1], source), is_one_number);
    table.has_names = has_header;
    if (has_header)
        table.names = first;
    else
        for (std::size_t k = 1; k <= first.size(); ++k)
            table.names.push_back(fmt::format("column{}", k));
    check_names(table.names, lines.front(), source);
    for (const auto& line : std::span(lines).subspan(has_header ? 1 : 0)) {
        auto fields = words_of(line, source);
        if (table.rows.empty() &&
            lacks_name_of_rows(table.names.size(), fields.size(), without_blanks(line.text).starts_with('"')))
            table.names.insert(table.names.begin(), "");
        if (fields.size() != table.names.size())
            refuse_length(source, line.number, fields.size(), table.names.size(), lines.front().number);
        table.rows.push_back({std::move(fields), line.number});
    }
    return table;
}

} // namespace pearlite::io
