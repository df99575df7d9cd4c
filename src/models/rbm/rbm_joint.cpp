#include "models/rbm/rbm_joint.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

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

RbmBlock::RbmBlock(Index n_visible, Index n_hidden, Index size)
    : visible_(n_visible, size),
      hidden_(n_hidden, size),
      pre_activation_(at(n_hidden * padded(size)), 0.0f),
      linear_(at(padded(size)), 0.0),
      positive_(linear_.size(), 0.0),
      log_factors_(linear_.size(), 0.0),
      factors_at_(std::numeric_limits<double>::quiet_NaN()),
      streams_(at(visible_.n_tiles())) {
    PEARLITE_EXPECTS(n_visible >= 1 && n_hidden >= 1 && size >= 1);
}

Vector base_rate_bias(const Vector& n_on, Index n) {
    PEARLITE_EXPECTS(n >= 0 && (n_on.array() >= 0).all() && (n_on.array() <= static_cast<double>(n)).all());
    return n_on.unaryExpr([n](double on) { return logit((on + 1) / static_cast<double>(n + 2)); });
}

void draw_images(const RbmParameters& parameters, const model::BlockStreams& streams, BinaryUnits& visible) {
    const auto& images = parameters.images;
    PEARLITE_EXPECTS(images.rows() == visible.n_units());
    std::vector<float> probability(at(images.rows()));
    std::vector<std::int8_t> units(probability.size());
    for (Index chain = 0; chain < visible.n_chains(); ++chain) {
        random::Stream stream(streams.at(random::Purpose::end, chain));
        const auto image = static_cast<Index>(stream.index(static_cast<std::uint64_t>(images.cols())));
        for (Index i = 0; i < images.rows(); ++i)
            probability[at(i)] = static_cast<float>(images(i, image)) / 255.0f;
        random::fill_bernoulli(streams.at(random::Purpose::visible_units, chain), probability, units);
        for (Index i = 0; i < images.rows(); ++i)
            visible.set(i, chain, units[at(i)] != 0);
    }
}

RbmParameters random_rbm(Index n_visible, Index n_hidden, double weight_sd, double bias_sd, std::uint64_t seed) {
    PEARLITE_EXPECTS(n_visible >= 1 && n_hidden >= 1 && weight_sd >= 0 && bias_sd >= 0);
    RbmParameters rbm{Matrix(n_visible, n_hidden), Vector(n_visible), Vector(n_hidden), Vector(n_visible), {}};
    const auto draw = [seed](std::uint64_t id, auto& values, double sd) {
        random::fill_normal({seed, random::Purpose::synthetic_data, id, 0},
                            {values.data(), static_cast<std::size_t>(values.size())});
        values *= sd;
    };
    draw(0, rbm.weights, weight_sd);
    draw(1, rbm.visible_bias, bias_sd);
    draw(2, rbm.hidden_bias, bias_sd);
    rbm.base_bias = rbm.visible_bias;
    return rbm;
}

} // namespace pearlite::models
