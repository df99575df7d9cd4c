#include "estimator/evidence/estimate.hpp"

namespace pearlite::estimator {

Interval normal_interval(double value, double standard_error) {
    constexpr double quantile975 = 1.959963984540054;
    return {value - quantile975 * standard_error, value + quantile975 * standard_error};
}

} // namespace pearlite::estimator
