#include "statistical/scores.hpp"

#include <cmath>

namespace pearlite::calibration {

Moments moments(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double x : values)
        mean += x / n;
    for (const double x : values)
        squares += (x - mean) * (x - mean);
    return {static_cast<Index>(values.size()), mean, std::sqrt(squares / (n - 1))};
}

std::string Table::text() const {
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (const auto& cell : cells)
            text += " " + cell + " |";
        return text + "\n";
    };
    std::string text = line(head_) + line(std::vector<std::string>(head_.size(), "---"));
    for (const auto& row : rows_)
        text += line(row);
    return text;
}

} // namespace pearlite::calibration
