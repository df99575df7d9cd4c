#pragma once
/// Integrals along a path of a positive function that is known at some inverse temperatures, and their inverse.

#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::path {

/// int_0^b f(t) dt of a function f > 0 whose logarithm is linear between the points where it is given: each piece is
/// integrated in closed form. A thermodynamic length if f is the square root of a metric.
class Integral {
  public:
    /// n >= 2 increasing points, and f there, finite and above 0.
    Integral(std::span<const double> points, std::span<const double> values);

    double total() const { return sums_.back(); }
    /// The integral up to b, which lies between the first and the last point.
    double up_to(double b) const;
    /// f(b).
    double integrand(double b) const;

  private:
    /// The piece that holds b.
    std::size_t piece(double b) const;

    std::vector<double> points_, logs_, sums_;
};

/// The values of f at `at`, log f linear between the points, constant outside them.
std::vector<double> log_interpolated(std::span<const double> points, std::span<const double> values,
                                     std::span<const double> at);

} // namespace pearlite::path
