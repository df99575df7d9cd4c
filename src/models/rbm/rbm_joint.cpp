#include "models/rbm/rbm_joint.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/annealed_model.hpp"

#include <algorithm>

namespace pearlite::models {

using model::BlockStreams;
using rbm_kernels::tile_chains;

static_assert(model::HasReversedMove<JointRbm> && model::HasDataStart<JointRbm>);

std::size_t JointRbmBlock::packed_bytes() const {
    return units_.packed_bytes() + static_cast<std::size_t>((units_.n_hidden() + 7) / 8);
}

void JointRbmBlock::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(out.size() == packed_bytes());
    units_.pack(slot, out.first(units_.packed_bytes()));
    units_.pack_hidden(slot, out.subspan(units_.packed_bytes()));
}

void JointRbmBlock::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(in.size() == packed_bytes());
    units_.unpack(slot, in.first(units_.packed_bytes()));
    units_.unpack_hidden(slot, in.subspan(units_.packed_bytes()));
}

void JointRbm::draw_start(Block& block, const BlockStreams& streams) const {
    rbm_.draw_start(block.units_, streams);
    rbm_.draw_hidden_given_visible(block.units_, 0, streams);
}

void JointRbm::draw_data(Block& block, double b_end, const BlockStreams& streams) const {
    rbm_.draw_data(block.units_, b_end, streams);
    rbm_.draw_hidden_given_visible(block.units_, b_end, streams);
}

void JointRbm::move(Block& block, double b, const BlockStreams& streams) const {
    rbm_.move(block.units_, b, streams);
}

void JointRbm::move_reversed(Block& block, double b, const BlockStreams& streams) const {
    rbm_.draw_visible_given_hidden(block.units_, b, streams);
    rbm_.draw_hidden_given_visible(block.units_, b, streams);
}

void JointRbm::path_derivative(const Block& block, double, std::span<double> out) const {
    const auto& units = block.units_;
    PEARLITE_EXPECTS(std::ssize(out) == block.size());
    for (Index tile = 0; tile < units.hidden_.n_tiles(); ++tile) {
        // (a - a0)'v + (d + W'v)'h
        double sums[tile_chains];
        sum_on(*rbm_.kernels_, units.hidden_, tile, units.pre_activation(tile), true, sums);
        for (Index chain = tile * tile_chains; chain < std::min(block.size(), (tile + 1) * tile_chains); ++chain)
            out[at(chain)] = units.linear_[at(chain)] + sums[chain % tile_chains];
    }
}

void JointRbm::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    std::vector<double> u(out.size());
    path_derivative(block, to, u);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += (to - from) * u[i];
}

void JointRbm::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    rbm_.swap_states(a.units_, b.units_, which);
    for (std::size_t i = 0; i < which.size(); ++i)
        if (which[i] != 0)
            a.units_.hidden_.swap(static_cast<Index>(i), b.units_.hidden_);
}

void JointRbm::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("rbm-joint");
    rbm_.fingerprint(fingerprint);
}

} // namespace pearlite::models
