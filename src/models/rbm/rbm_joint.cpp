#include "models/rbm/rbm_joint.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

namespace pearlite::models {

using model::BlockStreams;

static_assert(model::HasReversedMove<JointRbm> && model::HasDataStart<JointRbm>);

namespace {

std::size_t bytes_of(Index units) {
    return static_cast<std::size_t>((units + 7) / 8);
}

} // namespace

std::size_t JointRbmBlock::packed_bytes() const {
    return units_.packed_bytes() + bytes_of(units_.n_hidden());
}

const RbmBlock::FloatMatrix& JointRbmBlock::hidden_units() const {
    return units_.hidden_units();
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
    for (Index chain = 0; chain < block.size(); ++chain) {
        // (a - a0)'v + (d + W'v)'h; padding rows are zero.
        const auto h = units.hidden_.col(chain);
        const auto c = units.pre_activation_.col(chain).head(units.hidden_.rows());
        out[static_cast<std::size_t>(chain)] =
            units.linear_[static_cast<std::size_t>(chain)] + h.cast<double>().dot(c.cast<double>());
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
            a.units_.hidden_.col(static_cast<Index>(i)).swap(b.units_.hidden_.col(static_cast<Index>(i)));
}

void JointRbm::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("rbm-joint");
    rbm_.fingerprint(fingerprint);
}

} // namespace pearlite::models
