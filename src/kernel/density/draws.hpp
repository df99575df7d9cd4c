#pragma once
/// Draws of kernels for a block of points, each at its particle's address.

#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/density_block.hpp"

#include <cmath>
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

/// Metropolis and Hastings' rule for the block's proposals and their log densities, with a uniform at each particle's
/// address: proposal i replaces point i with probability exp(log_ratio(change, i)), `change` that of log prior + power
/// x log likelihood; taken(i) follows. Returns the number of those accepted; a proposal of density 0 or a NaN is
/// rejected. block.normals are scratch space.
template <class LogRatio, class Taken>
Index accept_proposals(model::DensityBlock& block, double power, const model::BlockStreams& streams,
                       LogRatio&& log_ratio, Taken&& taken) {
    const std::span<double> uniforms(block.normals.data(), static_cast<std::size_t>(block.padded_size()));
    draw_uniforms(block, streams, uniforms);
    Index accepted = 0;
    for (Index i = 0; i < block.size(); ++i) {
        const double present = block.log_prior(i) + tempered(power, block.log_likelihood(i));
        const double proposed = block.proposed_log_prior(i) + tempered(power, block.proposed_log_likelihood(i));
        if (proposed == -infinity)
            continue;
        if (!(std::log(uniforms[static_cast<std::size_t>(i)]) < log_ratio(proposed - present, i)))
            continue;
        block.points.col(i) = block.proposals.col(i);
        block.log_prior(i) = block.proposed_log_prior(i);
        block.log_likelihood(i) = block.proposed_log_likelihood(i);
        taken(i);
        ++accepted;
    }
    return accepted;
}

} // namespace pearlite::kernel
