#pragma once
/// The particles of a single-precision filter as arrays whose length is a whole number of groups of normals.

#include "models/state_space/lanes/systematic_slots.hpp"
#include "simd/elementary.hpp"
#include "simd/pair.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>

namespace pearlite::models::detail {

using simd::broadcast;
using simd::Floats16;
using simd::fused;
using simd::larger;
using simd::log2;

/// A particle is kept as the mean of its next h. Particles beyond `size` pad the arrays; their weight is 0.
struct VolatilityCloud {
    std::size_t size = 0, padded_size = 0;
    Eigen::ArrayXf mean, next_mean, weight, next_weight;
    Eigen::ArrayXf point, next_point;     ///< where each particle's tangent is laid, in adapted filters
    Eigen::ArrayXf inverse, next_inverse; ///< exp(-point)
    Eigen::ArrayXf h;                     ///< the states behind `mean`, where somebody observes them

    void resize(std::size_t n);
    void make_weights_equal();
    /// Systematic resampling of means (and tangents) by the weights, which become equal. offset: uniform on (0, 1), at
    /// most 1 - 2^-33. A kernel (simd/instructions.hpp).
    template <class Instructions>
    void resample(double offset, bool with_tangents);

  private:
    SlotMemory slots_;
};

/// Sums over particles of weights and their squares, or the largest log2 weight.
struct CloudSums {
    double weights = 0, squares = 0;
    float largest = -__builtin_inff();
};

/// The sums of at most a thousand particles, lane by lane, so that sums of floats stay short.
class ChunkSums {
  public:
    /// Sixteen weights, or some times sixteen.
    template <class P>
    [[gnu::always_inline]] void add(P weight) {
        if constexpr (std::is_same_v<P, Floats16>) {
            weights_ += weight;
            squares_ = fused(weight, weight, squares_);
        } else {
            for (const Floats16 part : simd::sixteens(weight))
                add(part);
        }
    }
    template <class P>
    [[gnu::always_inline]] void look_at(P log2_factor, P weight) {
        const P log2_weight = simd::chosen(weight > 0, log2_factor + log2(weight), broadcast<P>(-__builtin_inff()));
        for (const Floats16 part : simd::sixteens(log2_weight))
            largest_ = larger(part, largest_);
    }
    [[gnu::always_inline]] void add_to(CloudSums& sums) const {
        sums.weights += simd::pairwise_sum_of(weights_);
        sums.squares += simd::pairwise_sum_of(squares_);
        sums.largest = std::max(sums.largest, simd::largest_of(largest_));
    }

  private:
    Floats16 weights_{}, squares_{}, largest_ = broadcast<Floats16>(-__builtin_inff());
};

} // namespace pearlite::models::detail
