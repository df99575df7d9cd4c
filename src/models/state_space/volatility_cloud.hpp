#pragma once
/// The particles of a single-precision filter as arrays whose length is a multiple of sixteen.

#include "pearlite/random/stream.hpp"
#include "simd/elementary.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pearlite::models::detail {

using simd::broadcast;
using simd::Floats16;
using simd::fused;
using simd::larger;
using simd::log2;

/// Particles in work at a time: their normals stay in the first-level cache.
inline constexpr std::size_t chunk = 1024;

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
    [[gnu::always_inline]] void add(Floats16 weight) {
        weights_ += weight;
        squares_ = fused(weight, weight, squares_);
    }
    [[gnu::always_inline]] void look_at(Floats16 log2_factor, Floats16 weight) {
        const Floats16 log2_weight = log2_factor + log2(weight);
        largest_ = larger(weight > 0 ? log2_weight : broadcast<Floats16>(-__builtin_inff()), largest_);
    }
    [[gnu::always_inline]] void add_to(CloudSums& sums) const {
        sums.weights += simd::sum_of(weights_);
        sums.squares += simd::sum_of(squares_);
        sums.largest = std::max(sums.largest, simd::largest_of(largest_));
    }

  private:
    Floats16 weights_{}, squares_{}, largest_ = broadcast<Floats16>(-__builtin_inff());
};

/// z = e sqrt(g), g ~ Gamma(shape (nu + 1)/2, rate (nu + e^2)/2) given e (Marsaglia & Tsang 2000, with their squeeze in
/// the lanes and the rest one by one).
class StudentShocks {
  public:
    /// strength = sigma rho. Words as VolatilityFilter says, `stride` for each time.
    StudentShocks(const random::Address& address, double nu, double strength, std::size_t stride);
    /// Adds strength z to the next mean of each particle, whose error is e = y exp(-h/2).
    /// A kernel (simd/instructions.hpp).
    template <class Instructions>
    void add_to(VolatilityCloud& cloud, std::size_t t, double y) const;

  private:
    /// Gamma(shape), rate 1, from a normal and a uniform and, if these are refused, from a stream of its own.
    double one_gamma(float x, float u, std::uint64_t part) const;

    const random::Address& address_;
    double nu_, strength_, shape_;
    std::size_t stride_;
};

} // namespace pearlite::models::detail
