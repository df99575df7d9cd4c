#pragma once
/// The RBM in double precision, straight from its definition.

#include "core/log_space.hpp"
#include "models/rbm/rbm.hpp"

#include <cstddef>
#include <vector>

namespace pearlite::models::rbm_oracle {

/// Streams of the block whose first chain is in that global slot.
inline model::BlockStreams streams_at(std::uint32_t step, Index first_slot = 0, std::uint64_t seed = 1) {
    return {seed, step, 0, first_slot, 0};
}

/// Asymmetric, with a base rate that is not the visible bias.
inline RbmParameters asymmetric_rbm(Index n_visible, Index n_hidden, double weight_sd, std::uint64_t seed) {
    RbmParameters parameters = random_rbm(n_visible, n_hidden, weight_sd, 0.7, seed);
    parameters.base_bias = random_rbm(n_visible, 1, 1.0, 1.0, seed + 1).visible_bias;
    return parameters;
}

/// log f_b(v) as the legend of the model has it.
inline double log_density(const RbmParameters& rbm, const Vector& v, double b) {
    const Vector c = rbm.hidden_bias + rbm.weights.transpose() * v;
    double sum = (1 - b) * rbm.base_bias.dot(v) + b * rbm.visible_bias.dot(v);
    for (const double c_j : c)
        sum += softplus(b * c_j);
    return sum;
}

/// Unit i is bit i of the number.
inline Vector state_of_number(std::uint64_t number, Index n) {
    Vector v(n);
    for (Index i = 0; i < n; ++i)
        v[i] = static_cast<double>(number >> i & 1);
    return v;
}

inline Vector state_in_slot(const RbmBlock& block, Index slot) {
    return block.visible_units().col(slot).head(block.n_visible()).cast<double>();
}

inline std::vector<std::byte> packed(const RbmBlock& block, Index slot) {
    std::vector<std::byte> bytes(block.packed_bytes());
    block.pack(slot, bytes);
    return bytes;
}

/// `prepare` must follow.
inline void set_state(RbmBlock& block, Index slot, const Vector& v) {
    std::vector<std::byte> bytes(block.packed_bytes());
    for (Index i = 0; i < v.size(); ++i)
        if (v[i] != 0)
            bytes[static_cast<std::size_t>(i / 8)] |= std::byte{1} << (i % 8);
    block.unpack(slot, bytes);
}

} // namespace pearlite::models::rbm_oracle
