#pragma once
/// Contributions of the parts to summary.json, and functions that write and read its numbers.

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pearlite::app {

using Json = nlohmann::ordered_json;

/// Contributions of the parts, in the order of the file.
struct SummaryParts {
    Json entries = Json::object();     ///< at the top level
    Json diagnostics = Json::object(); ///< in "diagnostics"
    std::vector<std::string> warnings;
};

/// The number as JSON, which has no infinities: they are written as text.
inline Json json_number(double value) {
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

/// The number under `key`; NaN if it is missing or was written as text.
inline double number_at(const Json& entry, const char* key) {
    const auto value = entry.find(key);
    return value != entry.end() && value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// The whole number under `key`; `otherwise` if it is missing, a text, or none that fits.
inline std::int64_t whole_at(const Json& entry, const char* key, std::int64_t otherwise = 0) {
    constexpr double all_below_fit = 0x1p63;
    const auto value = entry.find(key);
    if (value == entry.end() || !value->is_number())
        return otherwise;
    if (value->is_number_float() && !(std::abs(value->get<double>()) < all_below_fit))
        return otherwise;
    return value->get<std::int64_t>();
}

} // namespace pearlite::app
