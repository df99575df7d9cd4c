#pragma once
/// Univariate priors by name, on the scale on which people think of a parameter: "normal(0, 10)".

#include "pearlite/random/stream.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::model {

/// A univariate distribution with a density.
///
///     normal(mean, sd)                    half-normal(scale)
///     student-t(df, location, scale)      half-student-t(df, scale)
///     cauchy(location, scale)             half-cauchy(scale)
///     log-normal(mean, sd of the log)     exponential(rate)
///     gamma(shape, rate)                  inverse-gamma(shape, scale)
///     root-inverse-gamma(shape, scale)    of a standard deviation whose square is inverse-gamma(shape, scale)
///     beta(a, b)  beta(a, b, low, high)   the latter stretched to an interval
///     uniform(low, high)
class Prior {
  public:
    /// InputError says what was expected: an unknown name, the number of arguments, their ranges.
    static Prior parse(std::string_view text);
    /// All names, in the order above.
    static std::vector<std::string> names();

    /// Normalised; -inf outside the support.
    double log_density(double x) const;
    /// Its derivative, inside the support.
    double log_density_slope(double x) const;
    double draw(random::Stream& stream) const;
    /// The support, infinite where it has no end.
    double lower() const { return lower_; }
    double upper() const { return upper_; }
    /// The text that parse() takes.
    std::string text() const;

  private:
    enum class Family : int;
    Prior(Family family, const std::vector<double>& arguments);

    Family family_;
    std::array<double, 4> arguments_{};
    std::size_t n_arguments_ = 0;
    double lower_, upper_;
    double log_normaliser_ = 0; ///< the part of log_density that does not depend on x
};

} // namespace pearlite::model
