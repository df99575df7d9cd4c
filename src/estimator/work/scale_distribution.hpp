#pragma once
/// The common part of the histogram estimator's posterior draws. Internal to the layer.

#include "estimator/work/work.hpp"
#include "pearlite/random/stream.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace pearlite::estimator::detail {

/// The distribution of x = log(s/t) (histogram.cpp) on a grid: its log density is smooth on the grid's scale and taken
/// as linear in between.
class ScaleDistribution {
  public:
    /// log_densities(x) gives the log density, up to a constant, at several x; it is log-concave with its mode at
    /// `mode`.
    ScaleDistribution(const std::function<std::vector<double>(std::span<const double> x)>& log_densities, double mode,
                      double width);
    double draw(random::Stream& stream) const;

  private:
    static constexpr std::size_t n_points = 257;
    static constexpr double depth = 30; ///< the grid ends where the density is e^-30 of its peak

    double mass(std::size_t i) const;

    double low_ = 0, step_ = 0;
    std::array<double, n_points> log_p_{};
    std::array<double, n_points> cumulated_{};
};

/// The number of draws that are made from n_works works, at most `wanted`.
std::int64_t posterior_draws(std::int64_t n_works, int wanted);
/// Standard error and interval from the draws of log Z.
void add_posterior_errors(HistogramEstimate& histogram);

} // namespace pearlite::estimator::detail
