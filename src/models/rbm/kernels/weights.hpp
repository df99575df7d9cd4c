#pragma once
/// Weights as integers, which sum exactly, in the forms that the kernels read.

#include "models/rbm/kernels/kernels.hpp"
#include "pearlite/core/types.hpp"

#include <vector>

namespace pearlite::models::rbm_kernels {

template <class T>
using Aligned = std::vector<T, Eigen::aligned_allocator<T>>;

/// Weights = scale[output] digits(output, input), rounded to nearest.
struct IntegerWeights {
    using Digits = Eigen::Matrix<std::int32_t, Eigen::Dynamic, Eigen::Dynamic>;
    Digits digits; ///< n_outputs x n_inputs
    Vector scale;  ///< n_outputs, numbers of single precision; 0 for weights that are all 0
    Index n_limbs = 3;
};

/// Integers of 24 bits (three limbs: magnitudes up to 8355711), each output with the smallest scale by which neither a
/// weight exceeds them nor a sum 32 bits.
IntegerWeights round_by_output(const Matrix& weights);

/// Integers of one or two limbs (magnitudes up to 127 or 32639) with one scale for the whole matrix, so that its
/// transpose has the same.
IntegerWeights round_alike(const Matrix& weights, Index n_limbs);
IntegerWeights transposed(const IntegerWeights& weights);

/// The weights in the layout that the kernels of a format read.
///   integers   32 bits: [outputs / 4][inputs / 4][4 outputs][4 inputs]
///   limbs      signed 8-bit digits to base 256, most significant first: [outputs / 4][inputs / 4][limb][4 outputs]
///              [4 inputs]
///   tiles      the same digits: [outputs / 16][inputs / 64][limb][16 outputs][64 inputs]
/// Outputs are padded to multiples of output_padding, inputs to those of word_units (tiles: 64), with zeros.
Aligned<std::int8_t> pack(const IntegerWeights& weights, Format format);

} // namespace pearlite::models::rbm_kernels
