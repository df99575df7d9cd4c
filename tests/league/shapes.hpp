#pragma once
/// Posteriors of curved and thin shapes.

#include "pearlite/core/error.hpp"
#include "pearlite/model/density.hpp"
#include "priors.hpp"

namespace pearlite::league {

/// The posterior has a known density, and the likelihood is this density over that of the normal prior: Z is 1.
///
///     funnel      x_1 ~ N(0, 3^2), x_k ~ N(0, e^x_1)                                             (Neal 2003)
///     banana      x_1 ~ N(0, 10^2), x_2 + 0.03 x_1^2 - 3 ~ N(0, 1), x_k ~ N(0, 1)                (Haario et al. 1999)
///     rosenbrock  x_1 ~ N(1, 1), x_k ~ N(x_{k-1}^2, 0.3^2)                                       (Pagani et al. 2022)
class Bent : public Templated<Bent>, public Coordinates {
  public:
    explicit Bent(io::Section& section)
        : Coordinates(section, 2),
          shape_(static_cast<Shape>(numbered_choice(section, "shape", {"funnel", "banana", "rosenbrock"}))) {}

    template <class T>
    T likelihood(std::span<const T> x) const {
        return posterior(x) - prior(x);
    }
    std::optional<double> exact_log_ratio() const { return 0; }

  private:
    template <class T>
    T posterior(std::span<const T> x) const {
        using std::exp;
        if (shape_ == Shape::funnel) {
            T sum = log_normal(x[0], 3);
            for (const T& value : x.subspan(1))
                sum += log_normal(T(value * exp(T(-0.5 * x[0]))), 1) - 0.5 * x[0];
            return sum;
        }
        if (shape_ == Shape::banana) {
            T sum = log_normal(x[0], 10) + log_normal(T(x[1] + 0.03 * x[0] * x[0] - 3), 1);
            for (const T& value : x.subspan(2))
                sum += log_normal(value, 1);
            return sum;
        }
        T sum = log_normal(T(x[0] - 1), 1);
        for (std::size_t k = 1; k < x.size(); ++k)
            sum += log_normal(T(x[k] - x[k - 1] * x[k - 1]), 0.3);
        return sum;
    }

    enum class Shape { funnel, banana, rosenbrock };
    Shape shape_;
};

/// Normal shells of a radius and a width about `centres` on the first axis, in a cube that holds them.
class Shells : public Templated<Shells>, public Coordinates {
  public:
    explicit Shells(io::Section& section)
        : Coordinates(section, 2),
          centres_(section.numbers("centres", std::vector<double>{-3.5, 3.5})),
          radius_(section.number("radius", 2.0)),
          width_(section.number("scale", 0.1)) {
        if (!prior_.is_uniform())
            throw InputError("shells want a uniform prior");
    }

    template <class T>
    T likelihood(std::span<const T> x) const {
        using std::sqrt;
        T others = 1e-300, total = -std::numeric_limits<double>::infinity();
        for (const T& value : x.subspan(1))
            others += value * value;
        for (const double centre : centres_) {
            const T along = x[0] - centre, shell = log_normal(T(sqrt(T(along * along + others)) - radius_), width_);
            total = centre == centres_.front() ? shell : log_add(total, shell);
        }
        return total;
    }
    std::optional<double> exact_log_ratio() const {
        const auto d = static_cast<double>(dimension_);
        const double surface = std::numbers::ln2 + 0.5 * d * std::log(std::numbers::pi) - std::lgamma(0.5 * d);
        const double radial =
            log_integral([&](double r) { return (d - 1) * std::log(r) + log_normal(r - radius_, width_); },
                         std::max(0.0, radius_ - 12 * width_), radius_ + 12 * width_);
        return std::log(static_cast<double>(centres_.size())) + surface + radial -
               d * std::log(prior_.high() - prior_.low());
    }

  private:
    std::vector<double> centres_;
    double radius_, width_;
};

/// Effects theta_j ~ N(mu, tau^2), mu ~ N(0, 5^2), tau ~ half-normal(5), measured as 0.7 sin 3j with errors N(0, 1).
/// Points are (mu, log tau, theta or (theta - mu)/tau).
class Hierarchy : public Templated<Hierarchy> {
  public:
    explicit Hierarchy(io::Section& section)
        : dimension_(section.integer("dimension", 12, {.low = 4})), is_centred_(section.boolean("centred", false)) {}

    std::vector<std::string> parameter_names() const { return coordinate_names(dimension_); }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.normal();
        x[0] *= 5;
        x[1] = std::log(std::abs(5 * x[1]));
        for (double& value : x.subspan(is_centred_ ? 2 : x.size()))
            value = x[0] + std::exp(x[1]) * value;
    }
    template <class T>
    T prior(std::span<const T> x) const {
        using std::exp;
        const T tau = exp(x[1]);
        T sum = log_normal(x[0], 5) + log_normal(tau, 5) + std::numbers::ln2 + x[1];
        for (const T& value : x.subspan(2))
            sum += is_centred_ ? T(log_normal(T((value - x[0]) / tau), 1) - x[1]) : log_normal(value, 1);
        return sum;
    }
    template <class T>
    T likelihood(std::span<const T> x) const {
        using std::exp;
        const T tau = exp(x[1]);
        T sum = 0;
        for (std::size_t j = 2; j < x.size(); ++j)
            sum += log_normal(T(measured(j) - (is_centred_ ? x[j] : T(x[0] + tau * x[j]))), 1);
        return sum;
    }
    /// Given tau, the measurements are normal with independent parts along and across their mean.
    std::optional<double> exact_log_ratio() const {
        const auto n = static_cast<double>(dimension_ - 2);
        double mean = 0, squares = 0;
        for (std::size_t j = 2; j < at(dimension_); ++j)
            mean += measured(j) / n;
        for (std::size_t j = 2; j < at(dimension_); ++j)
            squares += std::pow(measured(j) - mean, 2);
        return log_integral(
            [&](double log_tau) {
                const double tau = std::exp(log_tau), variance = tau * tau + 1;
                return log_normal(tau, 5) + std::numbers::ln2 + log_tau - 0.5 * squares / variance -
                       (n - 1) * (0.5 * std::log(variance) + log_root_two_pi) - 0.5 * std::log(n) +
                       log_normal(mean, std::sqrt(25 + variance / n));
            },
            -25, 5);
    }

  private:
    static double measured(std::size_t j) { return 0.7 * std::sin(3.0 * static_cast<double>(j)); }

    Index dimension_;
    bool is_centred_;
};

/// The likelihood is 3 in the cube [0.1, 0.4]^d and 1 in [0.6, 0.9]^d, of the prior's cube [0, 1]^d, elsewhere 0.
class TwoBoxes {
  public:
    explicit TwoBoxes(io::Section& section) : dimension_(section.integer("dimension", 5, {.low = 1})) {}

    std::vector<std::string> parameter_names() const { return coordinate_names(dimension_); }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform();
    }
    double log_prior(std::span<const double> x) const {
        return lies_in(x, 0, 1) ? 0 : -std::numeric_limits<double>::infinity();
    }
    double log_likelihood(std::span<const double> x) const {
        return lies_in(x, 0.1, 0.4)   ? std::log(3.0)
               : lies_in(x, 0.6, 0.9) ? 0
                                      : -std::numeric_limits<double>::infinity();
    }
    std::optional<double> exact_log_ratio() const {
        return std::log(4.0) + static_cast<double>(dimension_) * std::log(0.3);
    }

  private:
    static bool lies_in(std::span<const double> x, double low, double high) {
        for (const double value : x)
            if (!(value >= low && value <= high))
                return false;
        return true;
    }
    Index dimension_;
};

} // namespace pearlite::league
