#include "app/works/foreign_table.hpp"

#include "io/arrays/fields.hpp"
#include "io/files/text_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace pearlite::app {

namespace {

constexpr std::array names_of_counts{
    "",     "index", "unnamed: 0", "id",    "no",    "nr", "number", "n",    "i",         "run", "step",  "replica",
    "traj", "time",  "trajectory", "frame", "block", "t",  "rep",    "seed", "replicate", "job", "walker"};
constexpr std::array words_of_errors{"err", "error", "sd",     "std",         "se",
                                     "sem", "sigma", "stderr", "uncertainty", "variance"};

std::vector<std::string> words_of(const std::string& name) {
    std::vector<std::string> words(1);
    for (const char c : io::lower_case(name))
        if (std::isalpha(static_cast<unsigned char>(c)))
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    return words;
}

template <class Known>
bool has_word(const std::string& name, const Known& known) {
    const auto words = words_of(name);
    return std::ranges::any_of(words, [&](const auto& word) { return std::ranges::find(known, word) != known.end(); });
}

bool is_meant(const std::string& name, const WantedColumn& wanted) {
    const auto text = io::lower_case(name);
    const bool has_part =
        std::ranges::any_of(wanted.parts, [&](const auto& part) { return text.find(part) != std::string::npos; });
    return (has_part || has_word(name, wanted.words)) && !has_word(name, words_of_errors);
}

/// The name without a unit in brackets.
bool is_name_of_count(const std::string& name) {
    const auto text = io::lower_case(name.substr(0, name.find_first_of("([")));
    return std::ranges::find(names_of_counts, io::without_blanks(text)) != names_of_counts.end();
}

/// The text between quotes; empty if there is none.
std::string quoted(std::string_view text) {
    const auto begin = text.find('"'), end = text.rfind('"');
    return begin == end ? std::string() : std::string(text.substr(begin + 1, end - begin - 1));
}

/// Names from comments before the first row: legends of .xvg, whose first column is that of the axis, or words after #.
std::vector<std::string> names_in_comments(const std::vector<io::Line>& lines, std::size_t n_columns) {
    std::vector<std::string> legends{"time"}, words;
    for (const auto& line : lines) {
        const auto text = io::without_blanks(line.text);
        if (text.empty())
            continue;
        if (text.front() == '@') {
            if (text.find("xaxis") != std::string_view::npos && !quoted(text).empty())
                legends.front() = quoted(text);
            const auto parts = io::split_blanks(text.substr(1));
            if (parts.size() > 2 && parts[0].starts_with('s') && parts[1] == "legend")
                legends.push_back(quoted(text));
        } else if (text.front() == '#') {
            words = io::split_blanks(text.substr(1));
        } else {
            break;
        }
    }
    if (legends.size() == n_columns && n_columns > 1)
        return legends;
    const bool are_names = words.size() == n_columns && n_columns > 1 &&
                           std::ranges::none_of(words, [](const auto& w) { return io::finite_number(w).has_value(); });
    return are_names ? words : std::vector<std::string>();
}

/// Whether a text is meant to be a number, though it may be none.
bool is_like_number(const std::string& text) {
    auto word = io::lower_case(text);
    if (word.starts_with('+') || word.starts_with('-'))
        word = word.substr(1);
    const bool has_digit =
        !word.empty() &&
        std::isdigit(static_cast<unsigned char>(word.front() == '.' && word.size() > 1 ? word[1] : word.front())) != 0;
    return has_digit || word == "inf" || word == "infinity" || word == "nan";
}

bool is_all_digits(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

} // namespace

ForeignTable ForeignTable::read(const std::filesystem::path& file) {
    ForeignTable table;
    table.source_ = file.string();
    const std::string text = io::read_text_file(file, "a table of numbers");
    const auto all = io::split_lines(text);
    auto lines = all;
    std::erase_if(lines, [](const io::Line& line) {
        const auto words = io::without_blanks(line.text);
        return words.empty() || words.front() == '#' || words.front() == '@';
    });
    table.has_commas_ = !lines.empty() && lines.front().text.find(',') != std::string_view::npos;
    for (const auto& line : lines) {
        auto fields = table.has_commas_ ? io::split_fields(line, table.source_) : io::split_blanks(line.text);
        if (line.number == lines.front().number) {
            table.n_columns_ = fields.size();
            if (std::ranges::none_of(fields, is_like_number)) {
                table.names_ = std::move(fields);
                continue;
            }
        }
        if (fields.size() != table.n_columns_)
            throw InputError(fmt::format("{}wrong number of columns (got {}), expected {} as in line {}",
                                         io::at(table.source_, line.number), fields.size(), table.n_columns_,
                                         lines.front().number));
        table.rows_.push_back(std::move(fields));
        table.lines_.push_back(line.number);
    }
    if (table.rows() < 2)
        throw InputError(fmt::format("{}: {} row(s) of numbers, expected at least two", table.source_, table.rows()));
    if (table.names_.empty())
        table.names_ = names_in_comments(all, table.n_columns_);
    if (table.has_decimal_commas())
        throw InputError(fmt::format("{}numbers with decimal commas, as it seems (got \"{}\"), expected decimal points",
                                     io::at(table.source_, table.lines_.front()), lines.front().text));
    return table;
}

/// Two columns without names, whole numbers and digits, and digits that only a fraction has.
bool ForeignTable::has_decimal_commas() const {
    if (!has_commas_ || n_columns_ != 2 || !names_.empty())
        return false;
    bool has_zero = false, are_long = true;
    for (const auto& row : rows_) {
        std::string_view whole = row[0];
        if (!whole.empty() && (whole.front() == '-' || whole.front() == '+'))
            whole.remove_prefix(1);
        if (!is_all_digits(whole) || !is_all_digits(row[1]))
            return false;
        has_zero = has_zero || (row[1].size() > 1 && row[1].front() == '0');
        are_long = are_long && row[1].size() == rows_.front()[1].size() && row[1].size() > 2;
    }
    return has_zero || are_long;
}

std::optional<double> ForeignTable::number(const std::string& text, std::optional<double> infinite) const {
    if (const auto value = io::finite_number(text))
        return value;
    const auto word = io::lower_case(text);
    const bool is_below = word.starts_with('-');
    const auto size = word.starts_with('+') || is_below ? word.substr(1) : word;
    if (infinite && (size == "inf" || size == "infinity") && is_below == (*infinite < 0))
        return infinite;
    return {};
}

/// Whole numbers, or times in the first column, that rise evenly.
bool ForeignTable::is_count(std::size_t place) const {
    constexpr Index fewest = 3;
    if (rows() < fewest)
        return false;
    std::vector<double> values;
    for (const auto& row : rows_) {
        const auto value = number(row[place]);
        if (!value)
            return false;
        values.push_back(*value);
    }
    const double step = values[1] - values[0];
    const bool is_whole = std::ranges::all_of(values, [](double x) { return x == std::floor(x); });
    if (!(step > 0) || (place > 0 && !is_whole))
        return false;
    constexpr double rounding = 0.01;
    for (std::size_t i = 1; i < values.size(); ++i)
        if (!(std::abs(values[i] - values[i - 1] - step) <= rounding * step))
            return false;
    return true;
}

std::vector<std::size_t> ForeignTable::candidates(const WantedColumn& wanted) const {
    std::vector<std::size_t> meant, left;
    for (std::size_t k = wanted.follows_times ? 1 : 0; k < n_columns_; ++k) {
        const auto name = names_.empty() ? std::string() : names_[k];
        if (!name.empty() && is_meant(name, wanted))
            meant.push_back(k);
        // A word without a name may be the unit of a number beside it.
        const bool is_numeric = names_.empty() || number(rows_.front()[k], infinity).has_value();
        if (is_numeric && !(!names_.empty() && is_name_of_count(name)) && !is_count(k))
            left.push_back(k);
    }
    return meant.empty() ? left : meant;
}

std::size_t ForeignTable::place_of(const std::string& column, const WantedColumn& wanted) const {
    std::vector<std::string> labels;
    for (std::size_t k = 0; k < n_columns_; ++k)
        labels.push_back(label(k));
    if (column.empty()) {
        if (n_columns_ == 1)
            return 0;
        const auto found = candidates(wanted);
        if (found.size() == 1)
            return found.front();
        throw InputError(
            fmt::format("{}: {} of its columns may have the {}, expected --column with a name or a number: "
                        "{}",
                        source_, found.empty() ? "none" : "several", wanted.what, fmt::join(labels, ", ")));
    }
    if (const auto named = std::ranges::find(names_, column); named != names_.end())
        return static_cast<std::size_t>(named - names_.begin());
    const auto place = io::finite_number(column);
    if (place && *place >= 1 && *place <= static_cast<double>(n_columns_) && *place == std::floor(*place))
        return static_cast<std::size_t>(*place) - 1;
    throw InputError(fmt::format("{}: no column \"{}\", expected one of {}", source_, column, fmt::join(labels, ", ")));
}

Vector ForeignTable::numbers(std::size_t place, std::optional<double> infinite) const {
    Vector values(rows());
    for (Index row = 0; row < rows(); ++row) {
        const auto& text = rows_[at(row)][place];
        const auto value = number(text, infinite);
        if (!value)
            throw InputError(fmt::format("{}column {}: not a number (got \"{}\"), expected a finite number{}{}",
                                         io::at(source_, lines_[at(row)]), place + 1, text,
                                         !infinite       ? ""
                                         : *infinite > 0 ? " or inf"
                                                         : " or -inf",
                                         text.find(';') != std::string::npos ? ", with commas or blanks between columns"
                                         : text.find(',') != std::string::npos ? ", with a decimal point"
                                                                               : ""));
        values(row) = *value;
    }
    return values;
}

std::string ForeignTable::label(std::size_t place) const {
    return names_.empty() || names_[place].empty() ? fmt::format("column {}", place + 1)
                                                   : fmt::format("column {} ('{}')", place + 1, names_[place]);
}

std::vector<std::string> ForeignTable::others(std::size_t place) const {
    std::vector<std::string> labels;
    for (std::size_t k = 0; k < n_columns_; ++k)
        if (k != place)
            labels.push_back(label(k));
    return labels;
}

} // namespace pearlite::app
