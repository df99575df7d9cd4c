// Crooks' theorem as a check: logistic regression of the direction on the work (Shirts, Bair, Hooker & Pande 2003).
#include "estimator/plain/work.hpp"

#include "core/log_space.hpp"
#include "estimator/work/sharded_works.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

using Sums = detail::CrooksLikelihood::Derivatives;

struct Standardised {
    std::vector<double> y;
    std::vector<char> is_forward;
    double centre = 0, width = 0;
};

Standardised standardised(std::span<const double> forward, std::span<const double> reverse, double centre) {
    Standardised data;
    data.centre = centre;
    double square = 0;
    const auto take = [&](std::span<const double> works, char is_forward) {
        for (const double w : works)
            if (std::isfinite(w)) {
                data.y.push_back(w - centre);
                data.is_forward.push_back(is_forward);
                square += (w - centre) * (w - centre);
            }
    };
    take(forward, 1);
    take(reverse, 0);
    data.width = std::sqrt(square / static_cast<double>(std::max<std::size_t>(data.y.size(), 1)));
    for (double& y : data.y)
        y /= data.width;
    return data;
}

double log_likelihood(const Standardised& data, double intercept, double slope) {
    double sum = 0;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
        const double a = intercept + slope * data.y[i];
        sum -= softplus(data.is_forward[i] ? -a : a);
    }
    return sum;
}

Sums sums_at(const Standardised& data, double intercept, double slope) {
    Sums sums;
    for (std::size_t i = 0; i < data.y.size(); ++i) {
        const double p = logistic(intercept + slope * data.y[i]);
        const Eigen::Vector2d x(1, data.y[i]);
        sums.gradient += (data.is_forward[i] - p) * x;
        sums.information += p * (1 - p) * x * x.transpose();
    }
    return sums;
}

} // namespace

CrooksCheck crooks_check(std::span<const double> forward, std::span<const double> reverse) {
    CrooksCheck check;
    const auto works = detail::work_samples(forward, reverse);
    const double log_ratio = detail::solve_bar(works);
    const double smallest_forward = *std::min_element(forward.begin(), forward.end());
    const double largest_reverse = *std::max_element(reverse.begin(), reverse.end());
    if (!std::isfinite(log_ratio) || !(smallest_forward < largest_reverse))
        return check; // separable: any slope fits
    const auto data = standardised(forward, reverse, -log_ratio);
    if (!(data.width > 0))
        return check;
    detail::CrooksLikelihood likelihood;
    likelihood.log_likelihood = [&](double intercept, double slope) { return log_likelihood(data, intercept, slope); };
    likelihood.derivatives = [&](double intercept, double slope) { return sums_at(data, intercept, slope); };
    return detail::crooks_check(detail::fit_logistic(likelihood), log_ratio, works.log_odds(), data.width);
}

} // namespace pearlite::estimator
