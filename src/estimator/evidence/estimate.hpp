#pragma once
/// A number with its uncertainty, or the reason why there is none.

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::estimator {

struct Interval {
    double low = 0;
    double high = 0;
};

/// An estimate of a log normalising constant (or ratio). `standard_error` and `interval95` are absent when the
/// diagnostics do not support them; `note` then says why. A value that means nothing is refused: it is NaN, and `note`
/// says why.
struct Estimate {
    std::string estimator; ///< "product", "bar", ...
    double value = 0;
    std::optional<double> standard_error = {};
    std::optional<Interval> interval95 = {};
    std::string error_method = {}; ///< "delta", "bootstrap", "lee-whiteley", "chan-lai", "batches"
    std::string note = {};
    bool is_conservative = false;         ///< the error is a bound
    bool is_integral = false;             ///< a quadrature over temperatures, whose own error no error bar knows
    std::vector<std::string> doubts = {}; ///< reasons why the error may be too small, a sentence each

    void withhold_error(std::string reason) {
        standard_error.reset();
        interval95.reset();
        is_conservative = false;
        doubts.clear();
        note = std::move(reason);
    }
    void refuse(std::string reason) {
        withhold_error(std::move(reason));
        value = std::numeric_limits<double>::quiet_NaN();
    }
};

/// value -+ 1.96 standard errors.
inline Interval normal_interval(double value, double standard_error) {
    constexpr double quantile975 = 1.959963984540054;
    return {value - quantile975 * standard_error, value + quantile975 * standard_error};
}

} // namespace pearlite::estimator
