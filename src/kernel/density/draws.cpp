#include "kernel/density/draws.hpp"

#include "random/fill.hpp"
#include "random/lanes.hpp"

namespace pearlite::kernel {

namespace {

/// Lanes of random numbers serve particles whose addresses share their upper halves: all but one block in 2^32.
bool in_lanes(const random::Address& first, Index n) {
    return first.id >> 32 == (first.id + static_cast<std::uint64_t>(n) - 1) >> 32;
}

} // namespace

void draw_normals(model::DensityBlock& block, const model::BlockStreams& streams) {
    const Index n = block.padded_size(), d = block.dimension();
    const auto first = streams.at(random::Purpose::move, 0);
    if (in_lanes(first, n)) {
        random::fill_normal_lanes(first, n, {block.proposals.data(), static_cast<std::size_t>(n * d)});
        block.normals = Eigen::Map<const Matrix>(block.proposals.data(), n, d).transpose();
        return;
    }
    for (Index i = 0; i < block.size(); ++i)
        random::fill_normal(streams.at(random::Purpose::move, i),
                            {block.normals.col(i).data(), static_cast<std::size_t>(d)});
}

void draw_uniforms(const model::DensityBlock& block, const model::BlockStreams& streams, std::span<double> out) {
    const auto first = streams.at(random::Purpose::accept, 0);
    const auto n = static_cast<std::size_t>(block.padded_size());
    if (in_lanes(first, block.padded_size()))
        return random::fill_uniform_lanes(first, block.padded_size(), out);
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::accept, i));
        for (std::size_t k = static_cast<std::size_t>(i); k < out.size(); k += n)
            out[k] = stream.uniform();
    }
}

} // namespace pearlite::kernel
