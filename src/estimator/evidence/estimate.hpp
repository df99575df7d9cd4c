#pragma once
/// A number with its uncertainty, or the reason why there is none; and whether estimates of one number agree.

#include <limits>
#include <optional>
#include <span>
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
    bool is_conservative = false; ///< the error is a bound
    bool is_integral = false;     ///< a quadrature over temperatures, whose own error no error bar knows
    /// The error leaves out a bias of the method that is often larger: it serves comparisons, and is not shown.
    bool hides_error = false;
    std::vector<std::string> doubts = {}; ///< reasons why the error may be too small, a sentence each

    void withhold_error(std::string reason) {
        standard_error.reset();
        interval95.reset();
        is_conservative = false;
        doubts.clear();
        note = std::move(reason);
    }
    /// The likelihood is the same at every state that was seen: the weights have no variance.
    void set_flat(double log_likelihood) {
        value = log_likelihood;
        standard_error = 0;
        interval95 = Interval{value, value};
        is_conservative = false;
        note = "the likelihood is the same at every state that was visited";
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

// Integrals over the inverse temperature whose quadrature is too coarse, and several estimates of one quantity, judged
// side by side.

/// Two estimates of one quantity contradict each other beyond this number of joint standard errors: one false alarm in
/// 1.6e4, and fewer where both come from the same particles.
inline constexpr double significant_difference = 4;

/// Whether both have errors, and differ by more than significant_difference of them.
bool are_apart(const Estimate& a, const Estimate& b);

/// In nats. The curvature correction of an interval estimates the error of the trapezoid rule. Above this value in a
/// single interval the corrected rule may be as far off, and neither result is usable: under a vague prior whose first
/// temperature is too far from 0, errors are tens to thousands of nats.
inline constexpr double largest_trusted_curvature = 0.5;

/// Refuses an integral whose largest curvature in one interval cannot be trusted. Returns whether it did.
bool refuse_if_curved(Estimate& integral, double largest_curvature);

/// The error bar of an integral over temperatures leaves out the error of the quadrature. Refuses an integral that is
/// apart from `reference`, which has no such error.
void refuse_if_apart(Estimate& integral, const Estimate& reference);

/// Refuses integrals that are apart from the first of several estimates, the headline. Adds to `warnings` the doubts
/// about the headline, and which others contradict it (of each estimator the first that has an error). Where anything
/// warns, errors are no longer called conservative.
void judge(std::span<Estimate> estimates, std::vector<std::string>& warnings);

} // namespace pearlite::estimator
