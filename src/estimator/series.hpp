#pragma once
/// Correlated numbers in the order in which they were made: how many independent ones they stand for.

#include "pearlite/core/types.hpp"

#include <limits>
#include <span>

namespace pearlite::estimator {

/// A series is clearly correlated from this statistical inefficiency on: independent numbers hardly ever reach it.
inline constexpr double clear_inefficiency = 3;
/// A correlated series that stands for fewer independent numbers says too little about its own correlation.
inline constexpr double least_independent = 20;

/// The mean of a stationary series of n numbers, in order.
struct SeriesVariance {
    double length = 0;                                        ///< n
    double of_a_number = 0;                                   ///< c_0, with the divisor n
    double long_run = 0;                                      ///< g c_0: the variance of the mean is long_run/n
    double degrees = std::numeric_limits<double>::infinity(); ///< of freedom of long_run; infinite where g is 1

    /// g, the statistical inefficiency, at least 1: n numbers stand for n/g independent ones.
    double inefficiency() const { return of_a_number > 0 ? long_run / of_a_number : 1; }
    double independent() const { return length / inefficiency(); }
    bool is_too_short() const { return stands_for_fewer(least_independent); }
    /// Long enough for an error bar, but a rough one.
    bool is_short() const { return stands_for_fewer(2 * least_independent) && !is_too_short(); }

  private:
    bool stands_for_fewer(double least) const { return inefficiency() > clear_inefficiency && independent() < least; }
};

/// g = 1 + 2 sum_{k>=1} (1 - k/n) c_k/c_0 by Geyer's initial monotone sequence (1992), with the bias of a mean that is
/// taken from the same numbers removed to first order, and at least 1. Its relative variance is some 2 (2 W + 1)/n with
/// W lags in the sum (Wolff 2004, equation 42). Long correlations are summed over means of neighbours, so that the cost
/// is O(n). The numbers are finite; fewer than four count as independent.
SeriesVariance series_variance(std::span<const double> numbers);

/// The same for a series that may consist of parts with different means, of which some are joined by mistake: a clearly
/// correlated one has at most the long-run variance by the median squared difference of neighbouring means of thirty
/// blocks (von Neumann 1941, of blocks), which a few steps hardly change.
SeriesVariance variance_between_steps(std::span<const double> numbers);

/// The variance of the mean of a series, times n, that a bootstrap of blocks of this length sees.
double variance_in_blocks(std::span<const double> numbers, Index block);

/// Degrees of freedom of a sum of independent estimates of variances (Satterthwaite 1946). Infinite for none.
class PooledDegrees {
  public:
    void add(double variance, double degrees) {
        total_ += variance;
        squares_ += variance * variance / degrees;
    }
    double value() const { return squares_ > 0 ? total_ * total_ / squares_ : std::numeric_limits<double>::infinity(); }

  private:
    double total_ = 0, squares_ = 0;
};

} // namespace pearlite::estimator
