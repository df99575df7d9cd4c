#include "io/configuration/configuration_state.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <sstream>

namespace pearlite::io {

namespace {

std::string toml_key(std::string_view key) {
    const auto bare = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
    return !key.empty() && std::all_of(key.begin(), key.end(), bare) ? std::string(key) : toml_text(std::string(key));
}

std::string inline_table(const toml::table& table) {
    std::string text;
    for (const auto& [key, node] : table) {
        text += (text.empty() ? "" : ", ") + toml_key(key.str()) + " = " + toml_text(node);
    }
    return text.empty() ? "{}" : "{ " + text + " }";
}

std::string inline_array(const toml::array& array) {
    std::string text;
    for (const toml::node& node : array) {
        text += (text.empty() ? "" : ", ") + toml_text(node);
    }
    return "[" + text + "]";
}

/// Edits that turn one name into the other: inserted, lost, replaced or swapped letters (optimal string alignment).
std::size_t edit_distance(const std::string& left, const std::string& right) {
    std::vector<std::size_t> before_last(right.size() + 1);
    std::vector<std::size_t> last(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= left.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[right.size()];
}

/// The name without differences that people overlook: case, and hyphens for underscores.
std::string plain(std::string name) {
    for (char& c : name) {
        c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return name;
}

} // namespace

std::string toml_text(Index value) {
    return std::to_string(value);
}

std::string toml_text(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(buffer.data(), end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(bool value) {
    return value ? "true" : "false";
}

std::string toml_text(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += {'\\', c};
        } else if (code < 0x20 || code == 0x7f) {
            constexpr std::string_view digits = "0123456789abcdef";
            text += "\\u00";
            text += {digits[code / 16], digits[code % 16]};
        } else {
            text += c;
        }
    }
    return text + "\"";
}

std::string toml_text(const std::vector<double>& value) {
    std::string text;
    for (const double number : value) {
        text += (text.empty() ? "" : ", ") + toml_text(number);
    }
    return "[" + text + "]";
}

std::string toml_text(const std::vector<std::string>& value) {
    std::string text;
    for (const auto& element : value) {
        text += (text.empty() ? "" : ", ") + toml_text(element);
    }
    return "[" + text + "]";
}

std::string toml_text(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::integer:
        return toml_text(Index{node.as_integer()->get()});
    case toml::node_type::floating_point:
        return toml_text(node.as_floating_point()->get());
    case toml::node_type::boolean:
        return toml_text(node.as_boolean()->get());
    case toml::node_type::string:
        return toml_text(node.as_string()->get());
    case toml::node_type::array:
        return inline_array(*node.as_array());
    case toml::node_type::table:
        return inline_table(*node.as_table());
    default:
        break;
    }
    std::ostringstream date_or_time;
    node.visit([&](const auto& value) { date_or_time << value; });
    return date_or_time.str();
}

std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates) {
    std::optional<std::string> best;
    // A third of the letters may be wrong; more is another word.
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(plain(name), plain(candidate));
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string listed(const std::vector<std::string>& names, const std::string& before, const std::string& after) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + before + name + after;
    }
    return text;
}

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
