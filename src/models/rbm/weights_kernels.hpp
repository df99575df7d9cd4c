#pragma once
/// Loops over all weights of an RBM in one update. Kernels (simd/instructions.hpp).
///
/// Weights are single precision, a row of `stride` for each visible unit, in rows and columns that are padded with
/// zeros to multiples of 16.

#include "models/rbm/kernels/kernels.hpp"
#include "pearlite/core/types.hpp"

#include <cstdint>

namespace pearlite::models::rbm_training {

/// model::Ascent with the factor that turns counts into a gradient, in single precision.
struct Step {
    float rate = 0, momentum = 0, decay = 0, per_count = 0;
};

/// velocity = momentum velocity + rate (per_count counts - decay theta), theta += velocity, of n parameters.
template <class Instructions, class Count> // int16 or int32
void ascend(float* theta, float* velocity, const Count* counts, Index n, const Step& step);

/// The largest magnitude of n numbers; not finite if one of them is not.
template <class Instructions>
float largest_magnitude(const float* values, Index n);

struct Packing {
    const float* weights = nullptr;
    Index n_visible = 0, n_hidden = 0, stride = 0;
    float scale = 1; ///< weights of an integer's unit; |weights| / scale <= largest_packed
    rbm_kernels::Format format = rbm_kernels::Format::integers;
    std::int8_t *to_visible = nullptr, *to_hidden = nullptr; ///< as rbm_kernels::pack() has them, in three limbs
};
inline constexpr Index largest_packed = (Index{1} << 22) - 1;

/// Rounds the weights to the nearest integers, in the layouts that both directions read.
template <class Instructions>
void pack_both(const Packing& packing);

} // namespace pearlite::models::rbm_training
