#pragma once
/// Knowledge of a path before its main run: how u = d log f_b/db fluctuates at each inverse temperature, and how long
/// the kernel remembers it. Optimal schedules and the costs of schedules are computed from this alone.

#include "pearlite/core/types.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::path {

/// n >= 2 inverse temperatures, increasing from 0 to the end of the path, and quantities at each of them.
struct PathProfile {
    std::vector<double> inverse_temperature;
    std::vector<double> mean_u;         ///< E_b[u]; on a path that is linear in b
    std::vector<double> variance_u;     ///< g(b) = Var_b[u], finite and above 0
    std::vector<double> tau;            ///< autocorrelation time of u under the kernel at b, in steps, at least 1
    std::vector<double> rejection_rate; ///< of swaps between neighbours, per unit of b: E_b|u - u'|/2 of independent u
    bool tau_is_lower_bound = false;    ///< somewhere: the states were not held for long enough

    double end() const { return inverse_temperature.back(); }
    /// The square root of g, or of g tau: a schedule is optimal if it goes through equal lengths of it.
    std::vector<double> speed_limit(bool with_tau) const;

    template <class Fields>
    void fields(Fields& f) {
        f("inverse_temperature", inverse_temperature);
        f("mean_u", mean_u);
        f("variance_u", variance_u);
        f("tau", tau);
        f("rejection_rate", rejection_rate);
        f("tau_is_lower_bound", tau_is_lower_bound);
    }
};

/// Replaces numbers that are not finite or not above 0 (nothing varied in the sample) by their nearest good neighbour;
/// returns how many were not finite. All bad: NumericalError.
Index repair(std::vector<double>& values);

/// Local linear regression of log values in the coordinate int sqrt(values) db, normalised to 1, with a Gaussian window
/// of standard deviation `width`: noise in a region that matters little does not spread to one that matters.
std::vector<double> smoothed_in_length(std::span<const double> inverse_temperature, std::span<const double> values,
                                       double width);

/// Convolution of values with a Gaussian in b (Kiwaki 2015, section 5), its standard deviation in units of the end of
/// the path.
std::vector<double> smoothed_in_temperature(std::span<const double> inverse_temperature, std::span<const double> values,
                                            double width);

/// An estimate of g tau that needs no holds: V, the variance of the log weights up to each temperature, grows by
/// D^2 g tau in a step D, if the kernel forgets in much less than the steps of the run. By linear regression of V over
/// the steps in windows of a twentieth of them; at least g.
std::vector<double> friction_of_growth(std::span<const double> inverse_temperature, std::span<const double> variance,
                                       std::span<const double> variance_u);

// Integrals along a path of a positive function that is known at some inverse temperatures, and their inverse.

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
