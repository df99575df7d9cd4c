#include "models/rbm/rbm_hidden.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

#include "models/common/shared_draws.hpp"
#include "models/rbm/rbm_kernels.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;

static_assert(model::HasReversedMove<HiddenRbm> && model::HasDataStart<HiddenRbm>);

HiddenRbmBlock::HiddenRbmBlock(Index n_visible, Index n_hidden, Index size)
    : units_(n_visible, n_hidden, size), u_(static_cast<std::size_t>(size), 0.0) {}

HiddenRbm::HiddenRbm(RbmParameters parameters, const HiddenRbmSettings& settings)
    : rbm_(std::move(parameters)), settings_(settings) {
    if (settings.flips < 0 || settings.flips > largest_flips)
        throw InputError("a move must have 0 to " + std::to_string(largest_flips) + " flips, not " +
                         std::to_string(settings.flips));
    columns_ = Eigen::MatrixXf::Zero(padded(rbm_.n_visible()), rbm_.n_hidden());
    columns_.topRows(rbm_.n_visible()) = rbm_.parameters().weights.cast<float>();
    order_.resize(static_cast<std::size_t>(rbm_.n_hidden()));
    std::iota(order_.begin(), order_.end(), 0);
    reversed_order_.assign(order_.rbegin(), order_.rend());
}

void HiddenRbm::draw_start(Block& block, const BlockStreams& streams) const {
    auto& units = block.units_;
    units.probability_.setConstant(0.5f);
    const auto n = static_cast<std::size_t>(rbm_.n_hidden());
    for (Index chain = 0; chain < block.size(); ++chain)
        random::fill_bernoulli(streams.at(Purpose::start, chain), {units.probability_.data(), n},
                               {units.hidden_.col(chain).data(), n});
    prepare(block);
}

void HiddenRbm::draw_data(Block& block, double b_end, const BlockStreams& streams) const {
    rbm_.draw_data(block.units_, b_end, streams);
    rbm_.draw_hidden_given_visible(block.units_, 1, streams);
    prepare(block);
}

void HiddenRbm::prepare(Block& block) const {
    auto& units = block.units_;
    // The fields a + W h; padding rows are zero.
    detail::add_product(rbm_.visible_start_, rbm_.weights_to_visible_, rbm_.n_hidden(), units.hidden_,
                        units.visible_field_);
    const auto& d = rbm_.parameters().hidden_bias;
    for (Index chain = 0; chain < block.size(); ++chain) {
        const auto field = units.visible_field_.col(chain);
        block.u_[static_cast<std::size_t>(chain)] =
            d.dot(units.hidden_.col(chain).head(d.size()).cast<double>()) +
            detail::softplus_sum(field.data(), field.size(), field.size() - rbm_.n_visible());
    }
}

void HiddenRbm::path_derivative(const Block& block, double, std::span<double> out) const {
    PEARLITE_EXPECTS(std::ssize(out) == block.size());
    std::copy(block.u_.begin(), block.u_.end(), out.begin());
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
    const Index rows = columns_.rows(), padding = rows - rbm_.n_visible();
    std::vector<double> uniforms(units_in_turn.size());
    Eigen::VectorXf field(rows), proposed(rows);
    for (Index chain = 0; chain < block.size(); ++chain) {
        random::fill_uniform(streams.at(Purpose::accept, chain), uniforms);
        field = units.visible_field_.col(chain);
        double sum = detail::softplus_sum(field.data(), rows, padding);
        for (std::size_t k = 0; k < units_in_turn.size(); ++k) {
            const Index j = units_in_turn[k];
            float& h = units.hidden_(j, chain);
            const float sign = h != 0 ? -1.0f : 1.0f;
            proposed = field + sign * columns_.col(j);
            const double proposed_sum = detail::softplus_sum(proposed.data(), rows, padding);
            const double change = b * (proposed_sum - sum + static_cast<double>(sign) * d(j));
            if (change >= 0 || uniforms[k] < std::exp(change)) {
                h = 1.0f - h;
                field.swap(proposed);
                sum = proposed_sum;
            }
        }
    }
    prepare(block); // from the units alone, so that a stored state continues with the same bits
}

void HiddenRbm::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    for (std::size_t i = 0; i < which.size(); ++i) {
        if (which[i] == 0)
            continue;
        const auto chain = static_cast<Index>(i);
        a.units_.hidden_.col(chain).swap(b.units_.hidden_.col(chain));
        a.units_.visible_field_.col(chain).swap(b.units_.visible_field_.col(chain));
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
