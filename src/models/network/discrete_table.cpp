#include "models/network/discrete_table.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pearlite::models {
namespace {

constexpr Index most_levels = 256;

std::uint8_t level_of(const Matrix& values, Index row, Index column, Index levels) {
    const double value = values(row, column);
    if (!(value >= 0 && value < static_cast<double>(levels) && std::floor(value) == value))
        throw InputError("discrete table: row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                         " is " + std::to_string(value) + ", expected a whole number from 0 to " +
                         std::to_string(levels - 1));
    return static_cast<std::uint8_t>(value);
}

/// Codes become the levels 0, 1, .. in their order; returns how many there are.
Index number_levels(Eigen::Ref<Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>> codes) {
    std::array<bool, most_levels> occurs{};
    for (const auto code : codes)
        occurs[code] = true;
    std::array<std::uint8_t, most_levels> level{};
    Index count = 0;
    for (std::size_t code = 0; code < occurs.size(); ++code)
        if (occurs[code])
            level[code] = static_cast<std::uint8_t>(count++);
    for (auto& code : codes)
        code = level[code];
    return count;
}

} // namespace

DiscreteTable discrete_table(const Matrix& values, std::vector<std::string> names, std::vector<Index> levels) {
    const Index rows = values.rows(), variables = values.cols();
    const auto count = static_cast<std::size_t>(variables);
    if (rows == 0 || variables == 0)
        throw InputError("discrete table: no data, expected at least one row and one column");
    if (!names.empty() && names.size() != count)
        throw InputError("discrete table: " + std::to_string(names.size()) + " names, expected " +
                         std::to_string(variables));
    if (!levels.empty() && levels.size() != count)
        throw InputError("discrete table: " + std::to_string(levels.size()) + " numbers of levels, expected " +
                         std::to_string(variables));
    for (const Index r : levels)
        if (r < 1 || r > most_levels)
            throw InputError("discrete table: " + std::to_string(r) + " levels, expected 1 to 256");

    DiscreteTable table{{}, std::move(levels), std::move(names)};
    table.values.resize(rows, variables);
    const bool levels_are_given = !table.levels.empty(), names_are_given = !table.names.empty();
    for (Index i = 0; i < variables; ++i) {
        const Index allowed = levels_are_given ? table.levels[static_cast<std::size_t>(i)] : most_levels;
        for (Index row = 0; row < rows; ++row)
            table.values(row, i) = level_of(values, row, i, allowed);
        if (!levels_are_given)
            table.levels.push_back(number_levels(table.values.col(i)));
        if (!names_are_given)
            table.names.push_back("X" + std::to_string(i + 1));
    }
    return table;
}

} // namespace pearlite::models
