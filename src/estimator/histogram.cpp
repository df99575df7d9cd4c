// The histogram estimator (Habeck 2017, eqs. 15, 16 and supplement) and the posterior of log Z.
//
//   p_j: weights of the works W_j under p_f;  prior prod 1/p_j;  scales s, t of the reverse and forward samples
//   x = log(s/t) has log density  n_r x - sum_j log(1 + e^{x - W_j});  p_j | x ~ Exponential(rate 1 + e^{x - W_j})
//   log Z = log(sum p_j e^{-W_j} / sum p_j)
#include "pearlite/core/contract.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/estimator/work.hpp"
#include "pearlite/random/fill.hpp"
#include "pearlite/random/stream.hpp"
#include "work_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pearlite::estimator {

namespace {

using detail::WorkSamples;

/// log density of x up to a constant: log-concave, with its mode at log(n_r/n_f) - L.
double log_density(const WorkSamples& works, double x) {
    // sum_j softplus(x - W_j), where most terms are either nearly 0 or nearly x - W_j.
    double sum = 0;
    for (const double w : works.finite)
        sum += softplus(x - w);
    return works.target() * x - sum;
}

/// The distribution of x on a grid: its log density is smooth on the grid's scale and taken as linear in between.
class ScaleDistribution {
  public:
    ScaleDistribution(const WorkSamples& works, double mode, double width) {
        const double top = log_density(works, mode);
        const auto reach = [&](double direction) {
            double distance = width;
            while (log_density(works, mode + direction * distance) > top - depth && distance < 1e6 * width)
                distance *= 1.5;
            return distance;
        };
        low_ = mode - reach(-1);
        step_ = (mode + reach(1) - low_) / (n_points - 1);
        for (std::size_t i = 0; i < n_points; ++i)
            log_p_[i] = log_density(works, low_ + step_ * static_cast<double>(i)) - top;
        for (std::size_t i = 0; i + 1 < n_points; ++i)
            cumulated_[i + 1] = cumulated_[i] + mass(i);
    }

    double draw(random::Stream& stream) const {
        const double u = stream.uniform() * cumulated_.back();
        const auto above = std::upper_bound(cumulated_.begin(), cumulated_.end() - 1, u);
        const auto i = static_cast<std::size_t>(above - cumulated_.begin()) - 1;
        // Within an interval the density is p_i e^{slope y}, 0 <= y <= 1.
        const double slope = log_p_[i + 1] - log_p_[i];
        const double share = (u - cumulated_[i]) / (cumulated_[i + 1] - cumulated_[i]);
        const double y = std::abs(slope) < 1e-8 ? share : std::log1p(share * std::expm1(slope)) / slope;
        return low_ + step_ * (static_cast<double>(i) + std::clamp(y, 0.0, 1.0));
    }

  private:
    static constexpr std::size_t n_points = 257;
    static constexpr double depth = 30; ///< the grid ends where the density is e^-30 of its peak

    double mass(std::size_t i) const {
        const double slope = log_p_[i + 1] - log_p_[i];
        return std::exp(log_p_[i]) * (std::abs(slope) < 1e-8 ? 1 + slope / 2 : std::expm1(slope) / slope);
    }
    double low_ = 0, step_ = 0;
    std::array<double, n_points> log_p_{};
    std::array<double, n_points> cumulated_{};
};

/// log Z given x and unit exponentials: sums of e_j/(e^{W_j} + e^x) and e_j/(1 + e^{x - W_j}).
double log_ratio_given(const WorkSamples& works, double x, std::span<const double> exponentials) {
    double numerator = 0, denominator = 0;
    std::size_t j = 0;
    for (const double w : works.finite) {
        const double e = std::exp(std::clamp(x - w, -700.0, 700.0));
        const double forward = exponentials[j++] / (1 + e);
        denominator += forward;
        numerator += forward * e;
    }
    // Infinite works stand for terms at their limits.
    for (Index i = 0; i < static_cast<Index>(works.n_infinite_forward); ++i)
        denominator += exponentials[j++];
    for (Index i = 0; i < static_cast<Index>(works.n_infinite_reverse); ++i)
        numerator += exponentials[j++];
    return std::log(numerator) - std::log(denominator) - x;
}

double percentile(const std::vector<double>& sorted, double p) {
    return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1) + 0.5)];
}

} // namespace

HistogramEstimate histogram(std::span<const double> forward, std::span<const double> reverse, std::uint64_t seed,
                            int draws) {
    const auto works = detail::work_samples(forward, reverse);
    HistogramEstimate result;
    auto& estimate = result.estimate;
    estimate = {"histogram", detail::solve_bar(works), {}, {}, "posterior", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = estimate.value < 0 ? "every forward work is infinite" : "every reverse work is infinite";
        return result;
    }
    if (draws < 2)
        return result;
    const double curvature = detail::posterior_sums(works, estimate.value).q_not_q;
    if (!(curvature > 1e-12)) {
        estimate.note = "no error bar: the works do not meet";
        return result;
    }
    const auto n = forward.size() + reverse.size();
    const ScaleDistribution scale(works, -works.log_odds() - estimate.value, 1 / std::sqrt(curvature));
    const auto count = std::clamp<std::int64_t>(100'000'000 / static_cast<std::int64_t>(n), 400, draws);
    std::vector<double> exponentials(n);
    for (std::int64_t draw = 0; draw < count; ++draw) {
        const random::Address address{seed, random::Purpose::work_posterior, static_cast<std::uint64_t>(draw), 0};
        random::Stream stream({seed, random::Purpose::work_posterior, static_cast<std::uint64_t>(draw), 1});
        random::fill_exponential(address, exponentials);
        const double value = log_ratio_given(works, scale.draw(stream), exponentials);
        if (std::isfinite(value))
            result.posterior.push_back(value);
    }
    auto sorted = result.posterior;
    std::sort(sorted.begin(), sorted.end());
    double mean = 0, square = 0;
    for (const double v : sorted)
        mean += v / static_cast<double>(sorted.size());
    for (const double v : sorted)
        square += (v - mean) * (v - mean);
    estimate.standard_error = std::sqrt(square / static_cast<double>(sorted.size() - 1));
    estimate.interval95 = Interval{percentile(sorted, 0.025), percentile(sorted, 0.975)};
    return result;
}

std::vector<double> histogram_posterior_by_gibbs(std::span<const double> forward, std::span<const double> reverse,
                                                 std::uint64_t seed, int draws, int burn_in) {
    auto works = detail::work_samples(forward, reverse);
    const double centre = detail::solve_bar(works);
    PEARLITE_EXPECTS(std::isfinite(centre) && works.n_infinite_forward == 0 && works.n_infinite_reverse == 0);
    const Vector boltzmann = (-(works.finite.array() + centre)).exp(); // e^{-W_j}/Z at BAR
    Vector p = 1 / (works.n_forward + works.n_reverse * boltzmann.array());
    std::vector<double> log_ratios, exponentials(static_cast<std::size_t>(p.size()));
    for (int draw = -burn_in; draw < draws; ++draw) {
        const auto step = static_cast<std::uint32_t>(draw + burn_in);
        random::Stream stream({seed, random::Purpose::work_posterior, 0, 2 * step + 3});
        const double s = stream.gamma(works.n_reverse) / p.dot(boltzmann);
        const double t = stream.gamma(works.n_forward) / p.sum();
        random::fill_exponential({seed, random::Purpose::work_posterior, 1, 2 * step + 4}, exponentials);
        p = Eigen::Map<const Vector>(exponentials.data(), p.size()).array() / (t + s * boltzmann.array());
        if (draw >= 0)
            log_ratios.push_back(centre + std::log(p.dot(boltzmann)) - std::log(p.sum()));
    }
    return log_ratios;
}

} // namespace pearlite::estimator
