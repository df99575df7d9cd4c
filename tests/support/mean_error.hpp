#pragma once

#include <cmath>
#include <vector>

namespace pearlite::testing_support {

/// Mean and its standard error of independent values.
struct MeanError {
    double mean = 0, error = 0;

    explicit MeanError(const std::vector<double>& values) {
        const auto n = static_cast<double>(values.size());
        for (const double v : values)
            mean += v / n;
        for (const double v : values)
            error += (v - mean) * (v - mean) / (n * (n - 1));
        error = std::sqrt(error);
    }
    double z(double exact) const { return (mean - exact) / error; }
};

} // namespace pearlite::testing_support
