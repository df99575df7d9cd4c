#include "app/works/work_files.hpp"

#include "io/files/whole_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace pearlite::app {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line, bool has_commas) {
    std::vector<std::string_view> fields;
    const std::string_view separators = has_commas ? "," : " \t";
    while (true) {
        const auto end = line.find_first_of(separators);
        fields.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos)
            return fields;
        line.remove_prefix(end + 1);
        if (!has_commas)
            line = trimmed(line);
    }
}

std::optional<double> number_in(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return {};
    return value;
}

class WorkTable {
  public:
    WorkTable(const std::filesystem::path& file, const WorkFormat& format) : file_(file), format_(format) {}

    std::vector<double> read(std::string_view text) {
        std::vector<double> works;
        const double factor = format_.is_reverse ? -format_.beta : format_.beta;
        for (std::size_t number = 1; !text.empty(); ++number) {
            const auto end = std::min(text.find('\n'), text.size());
            const auto line = trimmed(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            if (line.empty() || line.front() == '#' || line.front() == '@')
                continue;
            if (!has_begun_)
                begin(line, number);
            if (is_header_) {
                is_header_ = false;
                continue;
            }
            works.push_back(factor * work_in(line, number));
        }
        if (works.size() < 2)
            throw InputError(fmt::format("{}: {} work(s), expected at least two", file_.string(), works.size()));
        return works;
    }

  private:
    /// From the first line: the separator, whether it is a header, and the column.
    void begin(std::string_view line, std::size_t number) {
        has_begun_ = true;
        has_commas_ = line.find(',') != std::string_view::npos;
        const auto fields = fields_of(line, has_commas_);
        is_header_ = std::none_of(fields.begin(), fields.end(), [](auto field) { return number_in(field); });
        n_fields_ = fields.size();
        column_ = n_fields_ - 1;
        if (format_.column.empty())
            return;
        const auto named = std::find(fields.begin(), fields.end(), std::string_view(format_.column));
        std::size_t place = 0;
        const auto* const last = format_.column.data() + format_.column.size();
        const auto [end, error] = std::from_chars(format_.column.data(), last, place);
        if (is_header_ && named != fields.end())
            column_ = static_cast<std::size_t>(named - fields.begin());
        else if (error == std::errc() && end == last && place >= 1 && place <= n_fields_)
            column_ = place - 1;
        else
            throw InputError(fmt::format(
                "{}, line {}: no column \"{}\", expected one of {} or a number from 1 to {}", file_.string(), number,
                format_.column, is_header_ ? fmt::format("{}", fmt::join(fields, ", ")) : "a header", n_fields_));
    }

    double work_in(std::string_view line, std::size_t number) const {
        const auto fields = fields_of(line, has_commas_);
        if (fields.size() != n_fields_)
            throw InputError(fmt::format("{}, line {}: {} column(s), expected {} as in the first line", file_.string(),
                                         number, fields.size(), n_fields_));
        if (const auto value = number_in(fields[column_]))
            return *value;
        throw InputError(fmt::format("{}, line {}, column {}: got \"{}\", expected a finite number", file_.string(),
                                     number, column_ + 1, fields[column_]));
    }

    std::filesystem::path file_;
    WorkFormat format_;
    bool has_begun_ = false, has_commas_ = false, is_header_ = false;
    std::size_t n_fields_ = 0, column_ = 0;
};

} // namespace

std::vector<double> read_works(const std::filesystem::path& file, const WorkFormat& format) {
    return WorkTable(file, format).read(io::read_whole_file(file, "a table of works"));
}

} // namespace pearlite::app
