#pragma once
/// The observation densities of stochastic volatility for packets of particles, in base 2 and without the constants
/// that all particles share. `inverse` is exp(-h).

#include "simd/elementary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace pearlite::models::detail {

using simd::broadcast;
using simd::exp2;
using simd::fused;
using simd::log2;
using simd::log2_1p;
using simd::smaller;

inline constexpr double log2_e = std::numbers::log2e;
inline constexpr auto log2_e_single = static_cast<float>(log2_e);

/// exp(-h / divisor).
template <class P>
[[gnu::always_inline]] inline P inverse_of(P h, float divisor = 1) {
    return exp2(h * (-log2_e_single / divisor));
}

/// Smaller squares of returns are raised to this one in a bound of the density, which has no bound at 0.
inline constexpr double smallest_square = 1e-12;

/// log2 of a positive number, at most 0.09 too small: its bits read as a number with a fixed point. For factors that
/// weights are kept near 1 by, which are exact as soon as they are known.
inline double rough_log2(double x) {
    return static_cast<double>(std::bit_cast<std::int64_t>(x) - (std::int64_t{1023} << 52)) * 0x1p-52;
}

struct NormalReturns {
    float half_square; ///< y^2 / 2

    NormalReturns(double, double y) : half_square(static_cast<float>(y * y / 2)) {}

    /// About the largest density, over the h, of returns of square 1.
    static double log2_peak(double) { return -0.5 * log2_e; }
    template <class P>
    [[gnu::always_inline]] P log2_density(P h, P inverse) const {
        return fused(h, broadcast<P>(-0.5f * log2_e_single), inverse * (-log2_e_single * half_square));
    }
    template <class P>
    [[gnu::always_inline]] P slope(P inverse) const {
        return inverse * half_square - 0.5f;
    }
    /// log2 of density(h) over its tangent at a point, at h = point + difference.
    template <class P>
    [[gnu::always_inline]] P log2_under_tangent(P difference, P inverse_at_point) const {
        return (inverse_of(difference) - 1 + difference) * inverse_at_point * (-log2_e_single * half_square);
    }
};

struct StudentReturns {
    float square_by_nu; ///< y^2 / nu
    float half_power;   ///< (nu + 1) / 2

    StudentReturns(double nu, double y)
        : square_by_nu(static_cast<float>(y * y / nu)), half_power(static_cast<float>((nu + 1) / 2)) {}

    static double log2_peak(double nu) { return -0.5 * (nu + 1) * std::log2(1 + 1 / nu); }
    template <class P>
    [[gnu::always_inline]] P log2_density(P h, P inverse) const {
        return fused(h, broadcast<P>(-0.5f * log2_e_single), log2_1p(ratio(inverse)) * -half_power);
    }
    template <class P>
    [[gnu::always_inline]] P slope(P inverse) const {
        return share(inverse) * half_power - 0.5f;
    }
    template <class P>
    [[gnu::always_inline]] P log2_under_tangent(P difference, P inverse_at_point) const {
        const P p = share(inverse_at_point), growth = inverse_of(difference) - 1;
        return fused(p * log2_e_single, difference, log2_1p(p * growth)) * -half_power;
    }

  private:
    /// e^2 / nu.
    template <class P>
    [[gnu::always_inline]] P ratio(P inverse) const {
        return smaller(inverse * square_by_nu, broadcast<P>(1e37f));
    }
    /// The share of e^2 / nu in 1 + e^2 / nu.
    template <class P>
    [[gnu::always_inline]] P share(P inverse) const {
        return ratio(inverse) / (ratio(inverse) + 1);
    }
};

/// The tangent's point for particles whose h is N(mean, sd^2) before their observation is seen; as
/// VolatilityObservation::tangent_point.
class TangentPoints {
  public:
    TangentPoints(double nu, double y, double sd)
        : variance_(static_cast<float>(sd * sd)),
          scale_(static_cast<float>(0.5 * sd * sd * std::exp(std::min(sd * sd / 2, 80.0)) * y * y *
                                    (std::isinf(nu) ? 1 : (nu + 1) / nu))),
          student_(!std::isinf(nu)) {}

    template <class Returns, class P>
    [[gnu::always_inline]] P operator()(const Returns& returns, P mean) const {
        constexpr auto log_2 = std::numbers::ln2_v<float>;
        const P z = smaller(inverse_of(mean) * scale_, broadcast<P>(1e37f));
        const P u = log2(z + 1) * log_2;
        const P step = u - u * (log2(u + 1) * log_2) / (u + 2);
        const P point = mean - 0.5f * variance_ + step;
        return student_ ? fused(returns.slope(inverse_of(point)), broadcast<P>(variance_), mean) : point;
    }

  private:
    float variance_, scale_;
    bool student_;
};

} // namespace pearlite::models::detail
