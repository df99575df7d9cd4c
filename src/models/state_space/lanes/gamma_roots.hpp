#pragma once
/// Roots of gamma-distributed numbers as functions of normal ones.

#include <array>
#include <cstddef>
#include <span>

namespace pearlite::models::detail {

/// sqrt(g/a), g ~ Gamma(shape a, rate 1), as a function of a standard normal number x, to 1e-6: the quantile of g at
/// Phi(x), a >= 1/2, |x| <= 6.7. It is smooth in x and in 1/sqrt(a), with the limit 1 at a = infinity, so that a series
/// in both serves: the coefficients of Chebyshev's polynomials in x, of so few as the shape wants, are such series in
/// 1/sqrt(a).
class GammaRoots {
  public:
    static constexpr double largest_normal = 6.7;
    static constexpr std::size_t most_terms = 40;

    /// Has no shape; its value is 0.
    GammaRoots() = default;
    explicit GammaRoots(double shape);

    /// Coefficients of the Chebyshev polynomials T_0, T_1, ... of x / largest_normal, an odd number: the last may be 0.
    std::span<const float> coefficients() const { return {coefficients_.data(), terms_ | 1}; }
    /// Coefficients of 1, x, x^2, ...: the same polynomial with half the arithmetic. Empty for shapes below some 2.5,
    /// where terms would cancel.
    std::span<const float> powers() const { return {powers_.data(), n_powers_}; }

  private:
    std::array<float, most_terms + 1> coefficients_{};
    std::array<float, most_terms> powers_{};
    std::size_t terms_ = 0, n_powers_ = 0;
};

} // namespace pearlite::models::detail
