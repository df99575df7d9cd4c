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

/// Minimises from `start` (d), where the value must be finite; deterministic. The results are what the calls saw: a
/// line search that finds nothing lower is the usual end near the last bit. Exceptions of the calls pass through;
/// NumericalError if the library cannot run.
void minimise_by_lbfgs(const LbfgsFunction& function, std::span<const double> start, const LbfgsLimits& limits,
                       const LbfgsIterate& iterate = {});

} // namespace pearlite
