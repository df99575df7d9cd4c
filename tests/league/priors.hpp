#pragma once
/// Priors of independent coordinates, and integrals over one coordinate.

#include "dual.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::league {

inline const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

template <class T>
T log_normal(const T& x, double sd) {
    return -0.5 / (sd * sd) * x * x - (std::log(sd) + log_root_two_pi);
}

/// log of Student's density with df degrees of freedom and scale 1.
template <class T>
T log_student(const T& x, double df) {
    using std::log1p;
    const double constant = std::lgamma(0.5 * (df + 1)) - std::lgamma(0.5 * df) - 0.5 * std::log(df * std::numbers::pi);
    return constant - 0.5 * (df + 1) * log1p(x * x / df);
}

/// The number of a key's choice among its options; by number, a density compares no texts.
inline std::size_t numbered_choice(io::Section& section, const std::string& key,
                                   const std::vector<std::string>& options,
                                   const std::optional<std::string>& fallback = {}) {
    const auto chosen = std::ranges::find(options, section.choice(key, options, fallback));
    return static_cast<std::size_t>(chosen - options.begin()) % options.size();
}

/// The prior of a coordinate: "normal" (sd), "uniform" (low, high), "cauchy" (sd: its scale), or "spike-slab", two
/// normal distributions of equal weight (sd, and a hundredth of it).
class Prior {
  public:
    explicit Prior(io::Section& section)
        : kind_(static_cast<Kind>(
              numbered_choice(section, "prior", {"normal", "uniform", "cauchy", "spike-slab"}, "normal"))),
          sd_(section.number("prior_sd", 5.0, {.low = 0, .open_low = true})),
          low_(section.number("low", -10.0)),
          high_(section.number("high", 10.0)) {}

    bool is_uniform() const { return kind_ == Kind::uniform; }
    bool is_normal() const { return kind_ == Kind::normal; }
    double sd() const { return sd_; }
    double low() const { return low_; }
    double high() const { return high_; }

    double draw(random::Stream& stream) const {
        if (is_uniform())
            return low_ + (high_ - low_) * stream.uniform();
        if (kind_ == Kind::cauchy)
            return sd_ * std::tan(std::numbers::pi * (stream.uniform() - 0.5));
        const double sd = kind_ == Kind::spike_slab && stream.uniform() < 0.5 ? spike * sd_ : sd_;
        return sd * stream.normal();
    }
    template <class T>
    T log_density(const T& x) const {
        if (is_uniform())
            return value_of(x) >= low_ && value_of(x) <= high_ ? T(-std::log(high_ - low_))
                                                               : T(-std::numeric_limits<double>::infinity());
        if (kind_ == Kind::cauchy)
            return log_student(T(x / sd_), 1) - std::log(sd_);
        if (kind_ == Kind::spike_slab)
            return log_add(log_normal(x, sd_), log_normal(x, spike * sd_)) - std::numbers::ln2;
        return log_normal(x, sd_);
    }

  private:
    static constexpr double spike = 0.01;
    enum class Kind { normal, uniform, cauchy, spike_slab };
    Kind kind_;
    double sd_, low_, high_;
};

/// log of the integral of e^log_f from low to high by the trapezoidal rule, in t with x = m + h tanh(sinh t), or with
/// x = sinh t between infinite bounds.
template <class F>
double log_integral(const F& log_f, double low, double high) {
    const bool is_finite = std::isfinite(low) && std::isfinite(high);
    const double step = 2e-4, end = is_finite ? 3.2 : 25;
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (double t = -end; t <= end; t += step) {
        const double s = std::sinh(t), u = std::tanh(s);
        const double x = is_finite ? 0.5 * (low + high) + 0.5 * (high - low) * u : s;
        const double log_weight = is_finite ? std::log(0.5 * (high - low) * std::cosh(t)) - 2 * std::log(std::cosh(s))
                                            : std::log(std::cosh(t));
        const double term = log_f(x) + log_weight;
        if (term > largest) {
            sum = sum * std::exp(largest - term) + 1;
            largest = term;
        } else {
            sum += std::exp(term - largest);
        }
    }
    return largest + std::log(sum * step);
}

/// x1, x2, ...
inline std::vector<std::string> coordinate_names(Index n) {
    std::vector<std::string> names;
    for (Index k = 1; k <= n; ++k)
        names.push_back("x" + std::to_string(k));
    return names;
}

/// The members of a density whose coordinates have the same independent prior.
class Coordinates {
  public:
    Coordinates(io::Section& section, Index least)
        : prior_(section), dimension_(section.integer("dimension", least, {.low = least})) {}

    std::vector<std::string> parameter_names() const { return coordinate_names(dimension_); }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = prior_.draw(stream);
    }
    template <class T>
    T prior(std::span<const T> x) const {
        T sum = 0;
        for (const T& value : x)
            sum += prior_.log_density(value);
        return sum;
    }

  protected:
    Prior prior_;
    Index dimension_;
};

} // namespace pearlite::league
