#include "pearlite/core/error.hpp"
#include "pearlite/io/configuration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pearlite::io {
namespace {

bool are_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Seconds of "S" or "S.s".
std::optional<double> plain_seconds(std::string_view text) {
    const std::size_t point = text.find('.');
    if (!are_digits(text.substr(0, point)) ||
        (point != std::string_view::npos && !are_digits(text.substr(point + 1)))) {
        return std::nullopt;
    }
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

/// A whole number of at most `longest` digits, which keeps every sum exact in a double.
std::optional<double> whole(std::string_view text, std::size_t shortest, std::size_t longest) {
    if (!are_digits(text) || text.size() < shortest || text.size() > longest) {
        return std::nullopt;
    }
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Seconds of "[D-]HH:MM:SS"; hours may pass 23 only where no days are given.
std::optional<double> clock_seconds(std::string_view text) {
    std::optional<double> days = 0.0;
    const std::size_t dash = text.find('-');
    if (dash != std::string_view::npos) {
        days = whole(text.substr(0, dash), 1, 7);
        text.remove_prefix(dash + 1);
    }
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    if (second == std::string_view::npos) {
        return std::nullopt;
    }
    const auto hours = whole(text.substr(0, first), 1, 7);
    const auto minutes = whole(text.substr(first + 1, second - first - 1), 2, 2);
    const auto seconds = whole(text.substr(second + 1), 2, 2);
    const bool has_days = dash != std::string_view::npos;
    if (!days || !hours || !minutes || !seconds || *minutes > 59 || *seconds > 59 || (has_days && *hours > 23)) {
        return std::nullopt;
    }
    return ((*days * 24 + *hours) * 60 + *minutes) * 60 + *seconds;
}

} // namespace

double parse_duration(const std::string& text) {
    if (const auto value = plain_seconds(text)) {
        return *value;
    }
    if (const auto value = clock_seconds(text)) {
        return *value;
    }
    throw InputError("not a duration (got \"" + text + "\"), expected seconds (90 or 90.5) or [D-]HH:MM:SS (00:01:30)");
}

} // namespace pearlite::io
