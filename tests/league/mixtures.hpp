#pragma once
/// Likelihoods that are mixtures of normal distributions, under a normal or a uniform prior.

#include "pearlite/core/error.hpp"
#include "pearlite/model/density.hpp"
#include "priors.hpp"

namespace pearlite::league {

/// L(x) = sum_c weights_c N(x; m_c, sds_c^2 R). `centres` has a number for each component, which is the first
/// coordinate of m_c (layout "axis") or all of them ("diagonal"), or its first two numbers ("plane"); R has equal
/// correlations.
class Mixture : public Templated<Mixture>, public Coordinates {
  public:
    explicit Mixture(io::Section& section)
        : Coordinates(section, 1),
          layout_(static_cast<Layout>(numbered_choice(section, "layout", {"axis", "diagonal", "plane"}, "axis"))),
          centres_(section.numbers("centres", std::vector<double>{0})),
          sds_(section.numbers("sds", std::vector<double>{1})),
          weights_(section.numbers("weights", std::vector<double>{1})),
          correlation_(section.number("correlation", 0.0, {.low = 0, .high = 1, .open_high = true})) {
        const std::size_t numbers = layout_ == Layout::plane ? 2 : 1;
        if (centres_.size() != numbers * weights_.size() || sds_.size() != weights_.size())
            throw InputError("centres, sds and weights of a mixture do not go together");
        if (correlation_ > 0 && !prior_.is_normal())
            throw InputError("correlated components want a normal prior");
    }

    template <class T>
    T likelihood(std::span<const T> x) const {
        T sum = component<T>(x, 0, 0);
        for (std::size_t c = 1; c < weights_.size(); ++c)
            sum = log_add(sum, component<T>(x, c, 0));
        return sum;
    }
    void gradient_of(std::span<const double> x, double b, std::span<double> out) const {
        for (std::size_t k = 0; k < x.size(); ++k)
            out[k] = prior_.log_density(Dual(x[k], 1)).slope;
        const double log_sum = likelihood(x), d = static_cast<double>(dimension_);
        for (std::size_t c = 0; c < weights_.size(); ++c) {
            const double share = std::exp(component<double>(x, c, 0) - log_sum);
            const auto [along, across] = variances(c, 0);
            double mean = 0;
            for (std::size_t k = 0; k < x.size(); ++k)
                mean += (x[k] - centre(c, k)) / d;
            for (std::size_t k = 0; k < x.size(); ++k)
                out[k] -= b * share * (mean / along + (x[k] - centre(c, k) - mean) / across);
        }
    }
    /// A component under a normal prior is a normal density of its centre.
    std::optional<double> exact_log_ratio() const {
        const std::vector<double> origin(at(dimension_), 0.0);
        double sum = -std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < weights_.size(); ++c)
            sum = log_add(sum, prior_.is_normal() ? component<double>(origin, c, prior_.sd()) : inside(c));
        return sum;
    }

  private:
    double centre(std::size_t c, std::size_t k) const {
        if (layout_ == Layout::plane)
            return k < 2 ? centres_[2 * c + k] : 0;
        return layout_ == Layout::diagonal || k == 0 ? centres_[c] : 0;
    }
    struct Variances {
        double along, across; ///< of the direction of the coordinates' sum
    };
    Variances variances(std::size_t c, double prior_sd) const {
        const double variance = sds_[c] * sds_[c], added = prior_sd * prior_sd;
        return {variance * (1 + static_cast<double>(dimension_ - 1) * correlation_) + added,
                variance * (1 - correlation_) + added};
    }
    /// log of weight times density; the covariance is that of the component plus prior_sd^2.
    template <class T>
    T component(std::span<const T> x, std::size_t c, double prior_sd) const {
        const auto d = static_cast<double>(dimension_);
        T sum = 0, squares = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const T z = x[k] - centre(c, k);
            sum += z;
            squares += z * z;
        }
        const auto [along, across] = variances(c, prior_sd);
        const T on_diagonal = sum * sum / d;
        return std::log(weights_[c]) - 0.5 * (on_diagonal / along + (squares - on_diagonal) / across) -
               0.5 * (std::log(along) + (d - 1) * std::log(across)) - d * log_root_two_pi;
    }
    /// log of the weight of the part of a component that is inside the uniform prior, times the prior's density.
    double inside(std::size_t c) const {
        double sum = std::log(weights_[c]);
        for (std::size_t k = 0; k < at(dimension_); ++k) {
            const auto below = [&](double x) {
                return 0.5 * std::erfc((centre(c, k) - x) / (sds_[c] * std::numbers::sqrt2));
            };
            sum += std::log((below(prior_.high()) - below(prior_.low())) / (prior_.high() - prior_.low()));
        }
        return sum;
    }

    enum class Layout { axis, diagonal, plane };
    Layout layout_;
    std::vector<double> centres_, sds_, weights_;
    double correlation_;
};

} // namespace pearlite::league
