#pragma once
/// Posteriors whose coordinates are independent: log Z is a sum of integrals over one coordinate.

#include "pearlite/model/density.hpp"
#include "priors.hpp"

namespace pearlite::league {

/// The likelihood of coordinate k by its kind; y is `location`, s is `scale`:
///
///     normal       N(x; y, s^2)                      laplace    exp(-|x - y|/s)
///     student      Student's t, df, of (x - y)/s     quartic    exp(-((x - y)/s)^4)
///     exponential  exp(-x/s)                         log-gamma  exp(z - e^z), z = (x - y)/s
///     binomial     x^y (1 - x)^s                     poisson    exp(y_k x - e^x), y_k = 1, 4, 7, 2, ...
///     logistic     eight responses of covariates     well       exp(-(x^2 - y^2)^2/s)
///     comb         exp(y cos(2 pi x/s))              two        Cauchy's of scale s at y and -y
///     tails        Student's t of x over the prior: the posterior has these tails, and Z is 1
class Factors : public Templated<Factors> {
  public:
    explicit Factors(io::Section& section)
        : prior_(section),
          kind_(
              static_cast<Kind>(numbered_choice(section, "likelihood",
                                                {"normal", "laplace", "student", "quartic", "exponential", "log-gamma",
                                                 "binomial", "poisson", "logistic", "well", "comb", "two", "tails"}))),
          dimension_(section.integer("dimension", 1, {.low = 1})),
          location_(section.number("location", 0.0)),
          scale_(section.number("scale", 1.0, {.low = 0, .open_low = true})),
          df_(section.number("df", 3.0, {.low = 0, .open_low = true})),
          units_(section.number("units", 1.0, {.low = 0, .open_low = true})) {}

    std::vector<std::string> parameter_names() const { return coordinate_names(dimension_); }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (std::size_t k = 0; k < x.size(); ++k)
            x[k] = unit(k) * prior_.draw(stream);
    }
    template <class T>
    T prior(std::span<const T> x) const {
        T sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k)
            sum += prior_.log_density(T(x[k] / unit(k))) - std::log(unit(k));
        return sum;
    }
    template <class T>
    T likelihood(std::span<const T> x) const {
        T sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k)
            sum += factor(k, T(x[k] / unit(k)));
        return sum;
    }
    void gradient_of(std::span<const double> x, double b, std::span<double> out) const {
        for (std::size_t k = 0; k < x.size(); ++k) {
            const Dual z(x[k] / unit(k), 1 / unit(k));
            out[k] = prior_.log_density(z).slope + (b > 0 ? b * factor(k, z).slope : 0);
        }
    }
    std::optional<double> exact_log_ratio() const {
        if (kind_ == Kind::tails)
            return 0;
        const double infinite = std::numeric_limits<double>::infinity();
        const double low = prior_.is_uniform() ? prior_.low() : -infinite,
                     high = prior_.is_uniform() ? prior_.high() : infinite;
        const bool differ = kind_ == Kind::poisson || kind_ == Kind::logistic;
        double sum = 0;
        for (std::size_t k = 0; k < (differ ? at(dimension_) : 1); ++k)
            sum += log_integral([&](double x) { return prior_.log_density(x) + factor(k, x); }, low, high);
        return differ ? sum : static_cast<double>(dimension_) * sum;
    }

  private:
    /// Coordinates are measured in units from 1 to `units`.
    double unit(std::size_t k) const {
        return dimension_ == 1 ? 1 : std::pow(units_, static_cast<double>(k) / static_cast<double>(dimension_ - 1));
    }
    template <class T>
    T factor(std::size_t k, const T& x) const {
        using std::exp, std::log, std::log1p, std::abs, std::cos;
        const T z = (x - location_) / scale_;
        if (kind_ == Kind::normal)
            return log_normal(T(x - location_), scale_);
        if (kind_ == Kind::laplace)
            return -abs(z);
        if (kind_ == Kind::student)
            return log_student(z, df_) - std::log(scale_);
        if (kind_ == Kind::quartic)
            return -(z * z * z * z);
        if (kind_ == Kind::exponential)
            return -(x / scale_);
        if (kind_ == Kind::log_gamma)
            return z - exp(z);
        if (kind_ == Kind::binomial)
            return location_ * log(x) + scale_ * log(T(1 - x));
        if (kind_ == Kind::poisson)
            return static_cast<double>(1 + 3 * k % 10) * x - exp(x);
        if (kind_ == Kind::logistic)
            return logistic(k, x);
        if (kind_ == Kind::well) {
            const T excess = x * x - location_ * location_;
            return -(excess * excess) / scale_;
        }
        if (kind_ == Kind::comb)
            return location_ * cos(T(2 * std::numbers::pi / scale_ * x));
        if (kind_ == Kind::two)
            return log_student(z, 1) + log_student(T((x + location_) / scale_), 1) - 2 * std::log(scale_);
        return log_student(x, df_) - prior_.log_density(x); // tails
    }
    /// Eight responses, at covariates -1.75, -1.25 ... 1.75, that follow a slope of about 1.
    template <class T>
    static T logistic(std::size_t k, const T& x) {
        T sum = 0;
        for (std::size_t j = 0; j < 8; ++j) {
            const double covariate = 0.5 * static_cast<double>(j) - 1.75;
            const bool is_one = (j + k) % 4 == 1 ? covariate < 0 : covariate > 0;
            sum += -log_add(T(0.0), T((is_one ? -covariate : covariate) * x));
        }
        return sum;
    }

    Prior prior_;
    enum class Kind {
        normal,
        laplace,
        student,
        quartic,
        exponential,
        log_gamma,
        binomial,
        poisson,
        logistic,
        well,
        comb,
        two,
        tails
    };
    Kind kind_;
    Index dimension_;
    double location_, scale_, df_, units_;
};

} // namespace pearlite::league
