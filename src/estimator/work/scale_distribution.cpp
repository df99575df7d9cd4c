#include "estimator/work/scale_distribution.hpp"

#include <cmath>

namespace pearlite::estimator::detail {

ScaleDistribution::ScaleDistribution(const std::function<std::vector<double>(std::span<const double> x)>& log_densities,
                                     double mode, double width) {
    const auto log_density = [&](double x) { return log_densities(std::span(&x, 1)).front(); };
    const double top = log_density(mode);
    const auto reach = [&](double direction) {
        double distance = width;
        while (log_density(mode + direction * distance) > top - depth && distance < 1e6 * width)
            distance *= 1.5;
        return distance;
    };
    low_ = mode - reach(-1);
    step_ = (mode + reach(1) - low_) / (n_points - 1);
    std::array<double, n_points> places{};
    for (std::size_t i = 0; i < n_points; ++i)
        places[i] = low_ + step_ * static_cast<double>(i);
    const auto at_places = log_densities(places);
    for (std::size_t i = 0; i < n_points; ++i)
        log_p_[i] = at_places[i] - top;
    for (std::size_t i = 0; i + 1 < n_points; ++i)
        cumulated_[i + 1] = cumulated_[i] + mass(i);
}

double ScaleDistribution::draw(random::Stream& stream) const {
    const double u = stream.uniform() * cumulated_.back();
    const auto above = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, u);
    const auto i = static_cast<std::size_t>(above - cumulated_.begin()) - 1;
    // Within an interval the density is p_i e^{slope y}, 0 <= y <= 1.
    const double slope = log_p_[i + 1] - log_p_[i];
    const double share = (u - cumulated_[i]) / (cumulated_[i + 1] - cumulated_[i]);
    const double y = std::abs(slope) < 1e-8 ? share : std::log1p(share * std::expm1(slope)) / slope;
    return low_ + step_ * (static_cast<double>(i) + std::clamp(y, 0.0, 1.0));
}

double ScaleDistribution::mass(std::size_t i) const {
    const double slope = log_p_[i + 1] - log_p_[i];
    return std::exp(log_p_[i]) * (std::abs(slope) < 1e-8 ? 1 + slope / 2 : std::expm1(slope) / slope);
}

std::int64_t posterior_draws(std::int64_t n_works, int wanted) {
    return std::clamp<std::int64_t>(100'000'000 / n_works, 400, wanted);
}

void add_posterior_errors(HistogramEstimate& histogram) {
    auto sorted = histogram.posterior;
    std::sort(sorted.begin(), sorted.end());
    double mean = 0, square = 0;
    for (const double v : sorted)
        mean += v / static_cast<double>(sorted.size());
    for (const double v : sorted)
        square += (v - mean) * (v - mean);
    const auto percentile = [&](double p) {
        return sorted[static_cast<std::size_t>(std::lround(p * static_cast<double>(sorted.size() - 1)))];
    };
    histogram.estimate.standard_error = std::sqrt(square / static_cast<double>(sorted.size() - 1));
    histogram.estimate.interval95 = Interval{percentile(0.025), percentile(0.975)};
}

} // namespace pearlite::estimator::detail
