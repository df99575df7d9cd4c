#include "models/rbm/rbm_hidden.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

#include "models/common/shared_draws.hpp"
#include "models/rbm/log_product.hpp"

#include <numbers>
#include <numeric>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;
using rbm_kernels::panel_units;
using rbm_kernels::tile_chains;

static_assert(model::HasReversedMove<HiddenRbm> && model::HasDataStart<HiddenRbm>);

HiddenRbmBlock::HiddenRbmBlock(Index n_visible, Index n_hidden, Index size)
    : units_(n_visible, n_hidden, size), fields_(at(n_visible * padded(size)), 0.0f), u_(at(padded(size)), 0.0) {}

HiddenRbm::HiddenRbm(RbmParameters parameters, const HiddenRbmSettings& settings, simd::Path path)
    : rbm_(std::move(parameters), path), settings_(settings) {
    if (settings.flips < 0 || settings.flips > largest_flips)
        throw InputError("a move must have 0 to " + std::to_string(largest_flips) + " flips, not " +
                         std::to_string(settings.flips));
    columns_ = rbm_.parameters().weights.cast<float>();
    visible_bias_ = rbm_.parameters().visible_bias.cast<float>();
    order_.resize(static_cast<std::size_t>(rbm_.n_hidden()));
    std::iota(order_.begin(), order_.end(), 0);
    reversed_order_.assign(order_.rbegin(), order_.rend());
}

void HiddenRbm::draw_start(Block& block, const BlockStreams& streams) const {
    auto& units = block.units_;
    rbm_.address_draws(units, streams, Purpose::start);
    alignas(64) const float zero[panel_units * tile_chains] = {}; // probability 1/2
    alignas(64) float factors[tile_chains];
    for (Index tile = 0; tile < units.hidden_.n_tiles(); ++tile)
        for (Index first = 0; first < rbm_.n_hidden(); first += panel_units)
            rbm_.draw_panel(zero, first, std::min(panel_units, rbm_.n_hidden() - first), 0, units.streams_[at(tile)],
                            units.hidden_, tile, factors);
    prepare(block);
}

void HiddenRbm::draw_data(Block& block, double b_end, const BlockStreams& streams) const {
    rbm_.draw_data(block.units_, b_end, streams);
    rbm_.draw_hidden_given_visible(block.units_, 1, streams);
    prepare(block);
}

void HiddenRbm::prepare(Block& block) const {
    auto& units = block.units_;
    const Index n = rbm_.n_visible();
    rbm_.to_visible_.by_panels(
        units.hidden_, units.work_, [&](Index tile, Index first, Index count, const std::int32_t* sums) {
            rbm_.kernels_->fields(sums, count, rbm_.to_visible_.scale().data() + first, visible_bias_.data() + first,
                                  block.fields_.data() + (tile * n + first) * tile_chains);
        });
    alignas(64) const float no_step[tile_chains] = {};
    for (Index tile = 0; tile < units.hidden_.n_tiles(); ++tile) {
        double linear[tile_chains], softplus[tile_chains];
        sum_on(*rbm_.kernels_, units.hidden_, tile, rbm_.hidden_bias_.data(), false, linear);
        softplus_sums(block.fields_.data() + tile * n * tile_chains, 0, no_step, softplus);
        for (Index lane = 0; lane < tile_chains; ++lane)
            block.u_[at(tile * tile_chains + lane)] = linear[lane] + softplus[lane];
    }
}

void HiddenRbm::softplus_sums(const float* fields, Index column, const float* step, double (&sums)[tile_chains]) const {
    std::fill_n(sums, tile_chains, 0.0);
    LogProduct factors;
    for (Index first = 0; first < rbm_.n_visible(); first += panel_units) {
        rbm_kernels::Statistics part;
        rbm_.kernels_->statistics_of_step(fields + first * tile_chains, columns_.col(column).data() + first, step,
                                          std::min(panel_units, rbm_.n_visible() - first), part);
        for (Index lane = 0; lane < tile_chains; ++lane)
            sums[lane] += static_cast<double>(part.positive[lane]);
        factors.multiply(part.factors);
    }
    for (Index lane = 0; lane < tile_chains; ++lane)
        sums[lane] += factors.at(lane);
}

void HiddenRbm::path_derivative(const Block& block, double, std::span<double> out) const {
    PEARLITE_EXPECTS(std::ssize(out) == block.size());
    std::copy_n(block.u_.begin(), out.size(), out.begin());
}

void HiddenRbm::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    PEARLITE_EXPECTS(std::ssize(out) == block.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += (to - from) * block.u_[i];
}

void HiddenRbm::move(Block& block, double b, const BlockStreams& streams) const {
    if (settings_.update == HiddenRbmSettings::Update::sweep)
        return flip_along(block, b, streams, order_);
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(settings_.flips > 0 ? settings_.flips : rbm_.n_hidden()));
    draw_indices(streams.shared(Purpose::site), rbm_.n_hidden(), drawn);
    flip_along(block, b, streams, drawn);
}

void HiddenRbm::move_reversed(Block& block, double b, const BlockStreams& streams) const {
    if (settings_.update == HiddenRbmSettings::Update::sweep)
        return flip_along(block, b, streams, reversed_order_);
    move(block, b, streams); // independent units in the opposite order are independent units
}

void HiddenRbm::flip_along(Block& block, double b, const BlockStreams& streams,
                           std::span<const std::int32_t> units_in_turn) const {
    auto& units = block.units_;
    const auto& d = rbm_.parameters().hidden_bias;
    const Index n = rbm_.n_visible();
    const std::size_t n_updates = units_in_turn.size();
    std::vector<double> uniforms(n_updates * at(tile_chains));
    for (Index tile = 0; tile < units.hidden_.n_tiles(); ++tile) {
        const Index n_chains = std::min(tile_chains, block.size() - tile * tile_chains);
        for (Index lane = 0; lane < n_chains; ++lane)
            random::fill_uniform(streams.at(Purpose::accept, tile * tile_chains + lane),
                                 std::span(uniforms).subspan(at(lane) * n_updates, n_updates));
        float* const fields = block.fields_.data() + tile * n * tile_chains;
        alignas(64) float step[tile_chains] = {};
        double sums[tile_chains], proposed[tile_chains];
        softplus_sums(fields, 0, step, sums);
        for (std::size_t k = 0; k < n_updates; ++k) {
            const Index j = units_in_turn[k];
            for (Index lane = 0; lane < n_chains; ++lane)
                step[lane] = units.hidden_.get(j, tile * tile_chains + lane) ? -1.0f : 1.0f;
            softplus_sums(fields, j, step, proposed);
            for (Index lane = 0; lane < n_chains; ++lane) {
                const double change = b * (proposed[lane] - sums[lane] + static_cast<double>(step[lane]) * d(j));
                if (change >= 0 || uniforms[at(lane) * n_updates + k] < std::exp(change)) {
                    units.hidden_.set(j, tile * tile_chains + lane, step[lane] > 0);
                    sums[lane] = proposed[lane];
                } else {
                    step[lane] = 0;
                }
            }
            rbm_.kernels_->step(fields, columns_.col(j).data(), step, n);
        }
    }
    prepare(block); // from the units alone, so that a stored state continues with the same bits
}

void HiddenRbm::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    for (std::size_t i = 0; i < which.size(); ++i) {
        if (which[i] == 0)
            continue;
        const auto chain = static_cast<Index>(i);
        a.units_.hidden_.swap(chain, b.units_.hidden_);
        const Index n = rbm_.n_visible(), first = chain / tile_chains * n * tile_chains + chain % tile_chains;
        for (Index k = 0; k < n; ++k)
            std::swap(a.fields_[at(first + k * tile_chains)], b.fields_[at(first + k * tile_chains)]);
        std::swap(a.u_[i], b.u_[i]);
    }
}

std::optional<double> HiddenRbm::log_normaliser_start() const {
    return static_cast<double>(rbm_.n_hidden()) * std::numbers::ln2;
}

std::optional<double> HiddenRbm::exact_log_ratio(double b_end) const {
    if (b_end != 1)
        return {};
    const auto ratio = rbm_.exact_log_ratio(1);
    if (!ratio)
        return {};
    return *ratio + *rbm_.log_normaliser_start() - *log_normaliser_start();
}

void HiddenRbm::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("rbm-hidden");
    fingerprint.add(static_cast<double>(settings_.flips));
    fingerprint.add(settings_.update == HiddenRbmSettings::Update::sweep ? "sweep" : "random_unit");
    rbm_.fingerprint(fingerprint);
}

} // namespace pearlite::models
