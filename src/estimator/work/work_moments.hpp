#pragma once
/// Estimates that moments of the works decide. Internal to the layer.

#include "estimator/work/work.hpp"

#include <optional>

namespace pearlite::estimator::detail {

/// Central moments; variance with n - 1.
struct WorkMoments {
    double n = 0, mean = 0, variance = 0, third = 0, fourth = 0;
};

/// As the functions of the same names in work.hpp, of both directions' moments: none where a work is infinite.
using FiniteMoments = std::optional<WorkMoments>;
WorkBounds work_bounds(const FiniteMoments& forward, const FiniteMoments& reverse);
Estimate cumulant_forward(const FiniteMoments& forward);
Estimate cumulant_reverse(const FiniteMoments& reverse);
Estimate cumulant_both(const FiniteMoments& forward, const FiniteMoments& reverse);

} // namespace pearlite::estimator::detail
