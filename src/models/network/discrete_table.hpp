#pragma once
/// Tables of categorical data.

#include "pearlite/core/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pearlite::models {

/// A row per observation, a column per variable; variable i takes the levels 0 .. levels[i]-1.
struct DiscreteTable {
    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> values;
    std::vector<Index> levels;
    std::vector<std::string> names;

    Index rows() const { return values.rows(); }
    Index variables() const { return values.cols(); }
};

/// The table of these codes, which must be whole and in 0 .. 255. Without `levels` the codes that a column has are the
/// levels of its variable, in increasing order: 1 and 2 are two levels, and so are 0 and 5. With `levels`, codes are
/// 0 .. levels-1, and a level need not occur. Without `names` the variables are called X1, X2 and so on. InputError
/// names the row and the column that do not fit.
DiscreteTable discrete_table(const Matrix& values, std::vector<std::string> names = {}, std::vector<Index> levels = {});

} // namespace pearlite::models
