// Exact evidence of small mixtures: a sum over allocations.
#include "core/log_space.hpp"
#include "models/mixture/gaussian_mixture.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <cmath>
#include <numbers>

namespace pearlite::models {

namespace {

constexpr std::size_t most_points = 12;
constexpr double most_allocations = 65536;

/// log of the integral over mu and tau of prior times likelihood of the points in one component. tau is integrated in
/// closed form, mu by quadrature over ten prior standard deviations.
double log_component_evidence(const MixturePrior& prior, const std::vector<double>& points) {
    const auto n = static_cast<double>(points.size());
    if (points.empty())
        return 0;
    const double shape = prior.precision_shape + n / 2;
    const double constant = prior.precision_shape * std::log(prior.precision_rate) -
                            std::lgamma(prior.precision_shape) + std::lgamma(shape) -
                            0.5 * (n + 1) * std::log(2 * std::numbers::pi) - 0.5 * std::log(prior.mean_variance);
    const auto log_integrand = [&](double mu) {
        double squares = 0;
        for (const double y : points)
            squares += (y - mu) * (y - mu);
        const double d = mu - prior.mean;
        return -0.5 * d * d / prior.mean_variance - shape * std::log(prior.precision_rate + squares / 2);
    };
    const double width = std::sqrt(prior.mean_variance);
    double top = log_zero;
    for (int k = -100; k <= 100; ++k)
        top = std::max(top, log_integrand(prior.mean + 0.1 * k * width));
    const double integral = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
        [&](double mu) { return std::exp(log_integrand(mu) - top); }, prior.mean - 10 * width, prior.mean + 10 * width,
        15, 1e-12);
    return constant + top + std::log(integral);
}

} // namespace

std::optional<double> GaussianMixture::exact_log_ratio(double b_end) const {
    const auto J = static_cast<std::size_t>(components());
    const std::size_t n = data_.size();
    const double allocations = std::pow(static_cast<double>(J), static_cast<double>(n));
    const bool is_small = J == 1 || (n <= most_points && allocations <= most_allocations);
    if (b_end != 1 || !is_small)
        return {};
    if (J == 1)
        return log_component_evidence(settings_.prior, data_);

    // A component's evidence depends on the set of its points alone.
    std::vector<double> of_subset(std::size_t{1} << n);
    for (std::size_t subset = 0; subset < of_subset.size(); ++subset) {
        std::vector<double> points;
        for (std::size_t l = 0; l < n; ++l)
            if (subset >> l & 1)
                points.push_back(data_[l]);
        of_subset[subset] = log_component_evidence(settings_.prior, points);
    }
    const double c = settings_.prior.concentration, total = c * static_cast<double>(J);
    std::vector<double> terms;
    for (std::size_t allocation = 0; allocation < static_cast<std::size_t>(allocations); ++allocation) {
        std::vector<std::size_t> subsets(J, 0), counts(J, 0);
        std::size_t rest = allocation;
        for (std::size_t l = 0; l < n; ++l, rest /= J) {
            subsets[rest % J] |= std::size_t{1} << l;
            ++counts[rest % J];
        }
        // Dirichlet and categorical, the weights integrated out.
        double term = std::lgamma(total) - std::lgamma(total + static_cast<double>(n));
        for (std::size_t j = 0; j < J; ++j)
            term += std::lgamma(c + static_cast<double>(counts[j])) - std::lgamma(c) + of_subset[subsets[j]];
        terms.push_back(term);
    }
    return log_sum_exp(terms);
}

} // namespace pearlite::models
