#pragma once
/// Minima of smooth functions by L-BFGS (Nocedal 1980; libLBFGS).

#include "pearlite/core/types.hpp"

#include <functional>
#include <span>

namespace pearlite {

/// Limits at which a minimisation ends.
struct LbfgsLimits {
    Index iterations = 0;
    double tolerance = 0; ///< |gradient| / max(1, |x|)
};

/// The value at x (d), and its gradient into the second span (d). A value of +inf or NaN is refused: the line search
/// steps back.
using LbfgsFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;
/// An iterate and its gradient, after each iteration.
using LbfgsIterate = std::function<void(std::span<const double> x, std::span<const double> gradient)>;

/// Minimises from `start` (d), where the value must be finite; deterministic. Callers take the results from their
/// calls: near the last bit a line search usually ends because it finds nothing lower. Exceptions of the calls pass
/// through; NumericalError if the library cannot run.
void minimise_by_lbfgs(const LbfgsFunction& function, std::span<const double> start, const LbfgsLimits& limits,
                       const LbfgsIterate& iterate = {});

} // namespace pearlite
