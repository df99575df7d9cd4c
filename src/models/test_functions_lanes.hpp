#pragma once
/// The energies of test functions with chains in lanes.

#include "pearlite/models/test_functions.hpp"

namespace pearlite::models {

/// Schwefel's function beyond its box.
namespace schwefel {
inline constexpr double edge = 500;
inline constexpr double curvature = 0.001;
} // namespace schwefel

namespace detail {

/// Rows of a rotation that one pass over the coordinates multiplies: with two vectors of chains their twelve sums stay
/// in registers.
inline constexpr Index rows_per_pass = 6;

/// z = x, or z = rotation x + offset.
struct Turn {
    Index dimension;
    const double* rotation; ///< rows x dimension, column by column, rows a multiple of rows_per_pass; null: none
    Index rows;
    const double* offset; ///< rows
};

/// What a function has besides its kind.
struct FunctionData {
    TestFunctionSettings::Kind kind;
    const double* griewank_turns;
    double schwefel_peak;
};

/// points: dimension x a multiple of lane_padding; out: as many as columns.
void test_function_energies(const FunctionData& function, const Turn& turn, const model::LaneMatrix& points,
                            std::span<double> out);

} // namespace detail
} // namespace pearlite::models
