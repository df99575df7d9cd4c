#include "algorithm/smc/adaptive_schedule.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace pearlite::algorithm {

namespace {

/// The inverse temperature at which log_weight_sd is reached, or the end; the end also where u has no finite variance
/// because a likelihood is zero.
double farthest(const AdaptiveSchedule& wanted, double from, double variance_u) {
    const double end = wanted.inverse_temperature_end;
    if (!std::isfinite(wanted.log_weight_sd) || !std::isfinite(variance_u) || variance_u == 0)
        return end;
    return std::min(end, from + wanted.log_weight_sd / std::sqrt(variance_u));
}

} // namespace

double next_of(const AdaptiveSchedule& wanted, double from, double variance_u,
               const std::function<double(double to)>& conditional_ess) {
    double low = from, high = farthest(wanted, from, variance_u);
    if (conditional_ess(high) >= wanted.conditional_ess)
        return high;
    for (int i = 0; i < 60 && high - low > 1e-6 * (high - from); ++i) {
        const double middle = 0.5 * (low + high);
        (conditional_ess(middle) >= wanted.conditional_ess ? low : high) = middle;
    }
    if (!(low > from))
        throw NumericalError("the adaptive schedule found no step at inverse temperature " + std::to_string(from) +
                             ": the conditional ESS falls below its threshold at once");
    return low;
}

} // namespace pearlite::algorithm
