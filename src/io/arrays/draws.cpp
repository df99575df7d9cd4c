#include "io/arrays/draws.hpp"

#include "io/arrays/fields.hpp"
#include "io/files/text_file.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite::io {

namespace {

constexpr std::string_view end_of_warm_up = "# Adaptation terminated";

/// Reads numbers that are not finite, too: nan, inf, -inf.
std::optional<double> number_of(const std::string& text) {
    if (const auto finite = finite_number(text))
        return finite;
    const auto lower = lower_case(text);
    const std::string_view value = without_blanks(lower);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value == "nan" || value == "-nan" || value == "na")
        return std::numeric_limits<double>::quiet_NaN();
    if (value == "inf" || value == "+inf" || value == "infinity")
        return infinity;
    return value == "-inf" || value == "-infinity" ? std::optional(-infinity) : std::nullopt;
}

} // namespace

std::string with_brackets(std::string_view name) {
    const auto dot = name.find('.');
    if (dot == std::string_view::npos)
        return std::string(name);
    std::string indices(name.substr(dot + 1));
    std::replace(indices.begin(), indices.end(), '.', ',');
    return fmt::format("{}[{}]", name.substr(0, dot), indices);
}

std::string with_points(std::string_view name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto bracket = name.find('[');
    std::string column, indices;
    if (bracket != std::string_view::npos && bracket + 2 < name.size() && name.back() == ']') {
        const auto inner = name.substr(bracket + 1, name.size() - bracket - 2);
        if (std::ranges::all_of(inner, [&](char c) { return is_digit(c) || c == ','; })) {
            indices = fmt::format(".{}", inner);
            std::ranges::replace(indices, ',', '.');
            name = name.substr(0, bracket);
        }
    }
    for (const char c : name) {
        const bool is_legal = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_legal || (!column.empty() && column.back() != '_'))
            column += is_legal ? c : '_';
    }
    while (column.ends_with('_')) // two of them end the sampler's own names
        column.pop_back();
    if (column.empty() || is_digit(column.front()))
        column.insert(0, "x");
    return column + indices;
}

Table read_draws(const std::filesystem::path& file) {
    const std::string source = file.string();
    const std::string text = read_text_file(file, "draws: comma-separated numbers under a header line");
    std::vector<std::string> header;
    std::vector<std::size_t> places;
    std::vector<double> values;
    Table table{{}, {}, source};
    for (const Line& line : split_lines(text)) {
        const auto words = without_blanks(line.text);
        if (words.starts_with(end_of_warm_up))
            values.clear();
        if (words.empty() || words.front() == '#')
            continue;
        if (header.empty()) {
            header = read_header(line, source);
            for (std::size_t i = 0; i < header.size(); ++i)
                if (!header[i].ends_with("__")) {
                    places.push_back(i);
                    table.names.push_back(with_brackets(header[i]));
                }
            continue;
        }
        const auto fields = split_fields(line, source);
        if (fields.size() != header.size())
            throw InputError(fmt::format("{}wrong number of columns (got {}), expected {} as in the header",
                                         at(source, line.number), fields.size(), header.size()));
        for (const std::size_t place : places) {
            const auto value = number_of(fields[place]);
            if (!value)
                throw InputError(fmt::format("{}column {} ('{}'): not a number (got \"{}\")", at(source, line.number),
                                             place + 1, header[place], fields[place]));
            values.push_back(*value);
        }
    }
    const auto columns = static_cast<Index>(places.size());
    if (values.empty())
        throw InputError(source + ": no draws, expected rows of numbers under a header line");
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    table.values = Eigen::Map<const RowMajor>(values.data(), static_cast<Index>(values.size()) / columns, columns);
    return table;
}

} // namespace pearlite::io
