#pragma once
/// The energies of test functions with chains in lanes.

#include "models/functions/test_functions.hpp"

namespace pearlite::models {

/// Schwefel's function beyond its box.
namespace schwefel {
inline constexpr double edge = 500;
inline constexpr double curvature = 0.001;
} // namespace schwefel

namespace detail {

/// z = x, or z = R (x - x*) + x* turn by turn: 2 d - 3 turns cost a fraction of the product with R.
struct Turn {
    Index dimension;
    const SalomonTurns* turns; ///< null: none
    double centre;             ///< every coordinate of x*
};

/// The kind of a function and its data.
struct FunctionData {
    TestFunctionSettings::Kind kind;
    const double* griewank_turns;
    double schwefel_peak;
};

/// A kernel (simd/instructions.hpp). points: dimension x a multiple of lane_padding; out: one number for each column.
template <class Instructions>
void test_function_energies(const FunctionData& function, const Turn& turn, const model::LaneMatrix& points,
                            std::span<double> out);

} // namespace detail
} // namespace pearlite::models
