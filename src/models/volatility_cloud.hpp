#pragma once
/// The particles of a single-precision filter as arrays whose length is a multiple of sixteen.

#include "float_lanes.hpp"

#include <Eigen/Core>
#include <cstdint>

namespace pearlite::models::detail {

/// A particle is kept as the mean of its next h. Particles beyond `size` pad the arrays; their weight is 0.
struct VolatilityCloud {
    std::size_t size = 0, padded_size = 0;
    Eigen::ArrayXf mean, next_mean, weight, next_weight;
    Eigen::ArrayXf point, next_point; ///< where each particle's tangent is laid, in adapted filters
    Eigen::ArrayXf h;                 ///< the states behind `mean`

    void resize(std::size_t n);
    void make_weights_equal();
    /// Systematic resampling of means (and tangent points) by the weights, which become equal. offset: uniform on (0,
    /// 1), at most 1 - 2^-33.
    void resample(double offset, bool with_points);

  private:
    Eigen::ArrayXd cumulative_;
    Eigen::Array<std::int32_t, Eigen::Dynamic, 1> ancestor_;
};

/// Sums over particles of weights and their squares, or the largest log2 weight.
struct CloudSums {
    double weights = 0, squares = 0;
    float largest = -__builtin_inff();
};

/// The sums of at most a thousand particles, lane by lane, so that sums of floats stay short.
class ChunkSums {
  public:
    [[gnu::always_inline]] void add(Floats weight) {
        weights_ += weight;
        squares_ = fused(weight, weight, squares_);
    }
    [[gnu::always_inline]] void look_at(Floats log2_factor, Floats weight) {
        const Floats log2_weight = log2_factor + log2_lanes(weight);
        largest_ = larger(weight > 0 ? log2_weight : all_lanes(-__builtin_inff()), largest_);
    }
    void add_to(CloudSums& sums) const;

  private:
    Floats weights_{}, squares_{}, largest_ = all_lanes(-__builtin_inff());
};

} // namespace pearlite::models::detail
