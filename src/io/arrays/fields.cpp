#include "io/arrays/fields.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pearlite::io {

std::string at(const std::string& source, Index line) {
    return source + ":" + std::to_string(line) + ": ";
}

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::size_t end_of_line(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != '\n' && text[end] != '\r')
        ++end;
    return end;
}

void remove_line_end(std::string_view& text) {
    if (!text.empty())
        text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
}

std::vector<Line> split_lines(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    std::vector<Line> lines;
    while (!text.empty()) {
        const std::size_t end = end_of_line(text);
        lines.push_back({text.substr(0, end), static_cast<Index>(lines.size()) + 1});
        text.remove_prefix(end);
        remove_line_end(text);
    }
    while (!lines.empty() && without_blanks(lines.back().text).empty()) {
        lines.pop_back();
    }
    return lines;
}

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

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
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

void check_names(const std::vector<std::string>& names, const Line& line, const std::string& source) {
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
}

std::vector<std::string> read_header(const Line& line, const std::string& source) {
    auto names = split_fields(line, source);
    check_names(names, line, source);
    return names;
}

} // namespace pearlite::io
