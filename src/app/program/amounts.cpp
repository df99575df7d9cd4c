#include "app/program/amounts.hpp"

#include <fmt/format.h>

namespace pearlite::app {

std::string format_duration(double seconds) {
    if (!(seconds < 1e9))
        return "?";
    if (seconds < 60)
        return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long>(seconds);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string format_rate(double per_second) {
    return per_second < 1e4 ? fmt::format("{:.0f}", per_second) : fmt::format("{:.2e}", per_second);
}

} // namespace pearlite::app
