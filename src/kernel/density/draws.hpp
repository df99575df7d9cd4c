#pragma once
/// Draws of kernels for a block of points, each at its particle's address.

#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/density_block.hpp"

#include <span>

namespace pearlite::kernel {

/// block.normals: column i holds the d normals at particle i's address. block.proposals are scratch space.
void draw_normals(model::DensityBlock& block, const model::BlockStreams& streams);
/// out[k padded_size() + i]: uniform k on (0, 1) at particle i's address; a multiple of padded_size() elements.
void draw_uniforms(const model::DensityBlock& block, const model::BlockStreams& streams, std::span<double> out);

/// power x log L, where L = 0 matters at a power above 0 only.
inline double tempered(double power, double log_likelihood) {
    return power == 0 ? 0 : power * log_likelihood;
}

} // namespace pearlite::kernel
