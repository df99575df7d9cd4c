#include "models/rbm/moments/rbm_spline.hpp"

#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "models/rbm/log_product.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/annealed_model.hpp"

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;
using rbm_kernels::panel_units;
using rbm_kernels::tile_chains;

static_assert(model::HasFusedAnneal<RbmSpline> && model::HasReversibleMove<RbmSpline>);

RbmSplineBlock::RbmSplineBlock(Index n_visible, Index n_hidden, Index size)
    : visible_(n_visible, size),
      hidden_(n_hidden, size),
      log_density_(at(padded(size)), 0.0),
      log_density_at_(std::numeric_limits<double>::quiet_NaN()),
      fields_(at(n_visible * padded(size)), 0.0f),
      streams_(at(visible_.n_tiles())) {
    PEARLITE_EXPECTS(n_visible >= 1 && n_hidden >= 1 && size >= 1);
    for (AtKnot* const knot : {&low_, &high_}) {
        knot->c.resize(at(n_hidden * padded(size)), 0.0f);
        knot->linear.resize(at(padded(size)), 0.0);
    }
}

RbmSpline::RbmSpline(std::shared_ptr<const Rbm> end, std::vector<Machine> knots, std::vector<double> at_knots,
                     simd::Path path)
    : end_(std::move(end)), machines_(std::move(knots)), at_(std::move(at_knots)), kernels_(&kernels_of(path)) {
    PEARLITE_EXPECTS(at_.size() == machines_.size() + 2 && at_.front() == 0 && at_.back() == 1);
    PEARLITE_EXPECTS(std::adjacent_find(at_.begin(), at_.end(), std::greater_equal<>()) == at_.end());
    const auto add = [&](const Matrix& weights, const Vector& visible_bias, const Vector& hidden_bias) {
        PEARLITE_EXPECTS(weights.rows() == n_visible() && weights.cols() == n_hidden());
        PEARLITE_EXPECTS(visible_bias.size() == n_visible() && hidden_bias.size() == n_hidden());
        knots_.push_back({Layer(rbm_kernels::round_by_output(weights.transpose()), *kernels_),
                          Layer(rbm_kernels::round_by_output(weights), *kernels_), visible_bias.cast<float>(),
                          hidden_bias.cast<float>()});
    };
    const auto& last = end_->parameters();
    add(Matrix::Zero(n_visible(), n_hidden()), last.base_bias, Vector::Zero(n_hidden()));
    for (const auto& machine : machines_)
        add(machine.weights, machine.visible_bias, machine.hidden_bias);
    add(last.weights, last.visible_bias, last.hidden_bias);
}

RbmSpline::Place RbmSpline::place(double b) const {
    PEARLITE_EXPECTS(b >= 0 && b <= 1);
    const auto upper = std::max(std::lower_bound(at_.begin(), at_.end(), b), at_.begin() + 1);
    const Index segment = upper - at_.begin() - 1;
    return {segment, static_cast<float>((b - at_[at(segment)]) / (at_[at(segment + 1)] - at_[at(segment)]))};
}

RbmParameters RbmSpline::machine(double b) const {
    const auto [segment, part] = place(b);
    const auto& last = end_->parameters();
    const auto at_knot = [&](Index knot) -> Machine {
        if (knot == 0)
            return {Matrix::Zero(n_visible(), n_hidden()), last.base_bias, Vector::Zero(n_hidden())};
        if (knot == std::ssize(machines_) + 1)
            return {last.weights, last.visible_bias, last.hidden_bias};
        return machines_[at(knot - 1)];
    };
    const auto low = at_knot(segment), high = at_knot(segment + 1);
    const auto t = static_cast<double>(part);
    RbmParameters between;
    between.weights = (1 - t) * low.weights + t * high.weights;
    between.visible_bias = (1 - t) * low.visible_bias + t * high.visible_bias;
    between.hidden_bias = (1 - t) * low.hidden_bias + t * high.hidden_bias;
    between.base_bias = last.base_bias;
    return between;
}

void RbmSpline::draw_start(Block& block, const BlockStreams& streams) const {
    const auto& bias = knots_.front().visible_bias;
    draw_independent(*kernels_, {bias.data(), at(bias.size())}, Purpose::start, streams, block.visible_);
    activate(block, 0);
}

void RbmSpline::draw_data(Block& block, double b_end, const BlockStreams& streams) const {
    draw_images(end_->parameters(), streams, block.visible_);
    activate(block, place(b_end).segment);
}

void RbmSpline::activate(Block& block, Index segment) const {
    activate(block, knots_[at(segment)], block.low_);
    activate(block, knots_[at(segment + 1)], block.high_);
    block.segment_ = segment;
    block.log_density_at_ = std::numeric_limits<double>::quiet_NaN();
}

void RbmSpline::activate(Block& block, const Knot& knot, Block::AtKnot& out) const {
    const auto& layer = knot.to_hidden;
    layer.by_panels(block.visible_, block.work_, [&](Index tile, Index first, Index n, const std::int32_t* sums) {
        kernels_->fields(sums, n, layer.scale().data() + first, knot.hidden_bias.data() + first,
                         out.c.data() + (tile * n_hidden() + first) * tile_chains);
    });
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile) {
        double linear[tile_chains];
        sum_on(*kernels_, block.visible_, tile, knot.visible_bias.data(), false, linear);
        std::copy_n(linear, tile_chains, out.linear.data() + tile * tile_chains);
    }
}

const RbmSplineBlock& RbmSpline::in_segment(Index segment, const Block& block, std::optional<Block>& other) const {
    if (block.segment_ == segment)
        return block;
    activate(other.emplace(block), segment);
    return *other;
}

template <class Use>
void RbmSpline::log_density(const Block& block, Index tile, float part, double (&out)[tile_chains], Use use) const {
    alignas(64) float x[panel_units * tile_chains];
    const float* const low = block.low_.c.data() + tile * n_hidden() * tile_chains;
    const float* const high = block.high_.c.data() + tile * n_hidden() * tile_chains;
    LogProduct factors;
    const auto t = static_cast<double>(part);
    for (Index lane = 0; lane < tile_chains; ++lane) {
        const std::size_t i = at(tile * tile_chains + lane);
        out[lane] = (1 - t) * block.low_.linear[i] + t * block.high_.linear[i];
    }
    for (Index first = 0; first < n_hidden(); first += panel_units) {
        const Index n = std::min(panel_units, n_hidden() - first);
        kernels_->between(low + first * tile_chains, high + first * tile_chains, part, n, x);
        rbm_kernels::Statistics of_panel;
        kernels_->statistics(x, n, exponent_scale(1), of_panel);
        for (Index lane = 0; lane < tile_chains; ++lane)
            out[lane] += static_cast<double>(of_panel.positive[lane]);
        factors.multiply(of_panel.factors);
        use(first, n, static_cast<const float*>(x));
    }
    for (Index lane = 0; lane < tile_chains; ++lane)
        out[lane] += factors.at(lane);
}

void RbmSpline::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    PEARLITE_EXPECTS(std::ssize(out) == block.size());
    const auto at_from = place(from), at_to = place(to);
    std::optional<Block> other_from, other_to;
    const Block &from_block = in_segment(at_from.segment, block, other_from),
                &to_block = in_segment(at_to.segment, block, other_to);
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile) {
        double low[tile_chains], high[tile_chains];
        log_density(from_block, tile, at_from.part, low, [](auto&&...) {});
        log_density(to_block, tile, at_to.part, high, [](auto&&...) {});
        for (Index i = tile * tile_chains; i < std::min(block.size(), (tile + 1) * tile_chains); ++i)
            out[at(i)] += high[i % tile_chains] - low[i % tile_chains];
    }
}

void RbmSpline::add_slopes(const Block& block, Index tile, Place where, std::span<double> out) const {
    const float* const low = block.low_.c.data() + tile * n_hidden() * tile_chains;
    const float* const high = block.high_.c.data() + tile * n_hidden() * tile_chains;
    double slope[tile_chains] = {};
    for (Index first = 0; first < n_hidden(); first += panel_units) {
        alignas(64) float of_panel[tile_chains];
        kernels_->slope_between(low + first * tile_chains, high + first * tile_chains, where.part,
                                std::min(panel_units, n_hidden() - first), of_panel);
        for (Index lane = 0; lane < tile_chains; ++lane)
            slope[lane] += static_cast<double>(of_panel[lane]);
    }
    const double length = at_[at(where.segment + 1)] - at_[at(where.segment)];
    for (Index i = tile * tile_chains; i < std::min(block.size(), (tile + 1) * tile_chains); ++i)
        out[at(i)] = (block.high_.linear[at(i)] - block.low_.linear[at(i)] + slope[i % tile_chains]) / length;
}

void RbmSpline::path_derivative(const Block& block, double b, std::span<double> out) const {
    PEARLITE_EXPECTS(std::ssize(out) == block.size());
    const auto where = place(b);
    std::optional<Block> other;
    const Block& there = in_segment(where.segment, block, other);
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile)
        add_slopes(there, tile, where, out);
}

std::optional<double> RbmSpline::exact_log_ratio(double b_end) const {
    if (b_end == 1)
        return end_->exact_log_ratio(1);
    if (std::min(n_visible(), n_hidden()) > Rbm::max_enumerated_units)
        return std::nullopt;
    return Rbm(machine(b_end)).exact_log_ratio(1);
}

void RbmSpline::fingerprint(model::Fingerprint& fingerprint) const {
    end_->fingerprint(fingerprint);
    fingerprint.add("averaged moments");
    const auto add = [&](const auto& array) {
        fingerprint.add(std::span<const double>(array.data(), at(array.size())));
    };
    fingerprint.add(at_);
    for (const auto& machine : machines_) {
        add(machine.weights);
        add(machine.visible_bias);
        add(machine.hidden_bias);
    }
}

void RbmSpline::address_draws(Block& block, const BlockStreams& streams, Purpose purpose) const {
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile)
        block.streams_[at(tile)] = draw_streams(streams, purpose, tile);
}

void RbmSpline::draw_panel(const float* x, Index first, Index n, rbm_kernels::DrawStreams& streams, BinaryUnits& units,
                           Index tile) const {
    alignas(64) float factors[tile_chains];
    streams.first_unit = static_cast<std::uint32_t>(first);
    kernels_->draw({x, n, exponent_scale(1), &streams,
                    units.words(tile) + first / rbm_kernels::word_units * tile_chains, factors});
}

void RbmSpline::draw_visible(Block& block, Place where, const BlockStreams& streams) const {
    const auto &low = knots_[at(where.segment)], &high = knots_[at(where.segment + 1)];
    address_draws(block, streams, Purpose::visible_units);
    const auto fields_of = [&](const Knot& knot, Index first, Index n, const std::int32_t* sums, float* x) {
        kernels_->fields(sums, n, knot.to_visible.scale().data() + first, knot.visible_bias.data() + first, x);
    };
    const auto at_low = [&](Index tile, Index first) {
        return block.fields_.data() + (tile * n_visible() + first) * tile_chains;
    };
    low.to_visible.by_panels(block.hidden_, block.work_,
                             [&](Index tile, Index first, Index n, const std::int32_t* sums) {
                                 fields_of(low, first, n, sums, at_low(tile, first));
                             });
    high.to_visible.by_panels(block.hidden_, block.work_,
                              [&](Index tile, Index first, Index n, const std::int32_t* sums) {
                                  float* const x = block.work_.fields.data();
                                  fields_of(high, first, n, sums, x);
                                  kernels_->between(at_low(tile, first), x, where.part, n, x);
                                  draw_panel(x, first, n, block.streams_[at(tile)], block.visible_, tile);
                              });
}

void RbmSpline::move(Block& block, double b, const BlockStreams& streams) const {
    const auto where = place(b);
    if (block.segment_ != where.segment)
        activate(block, where.segment);
    address_draws(block, streams, Purpose::hidden_units);
    alignas(64) float x[panel_units * tile_chains];
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile)
        for (Index first = 0; first < n_hidden(); first += panel_units) {
            const Index n = std::min(panel_units, n_hidden() - first),
                        offset = (tile * n_hidden() + first) * tile_chains;
            kernels_->between(block.low_.c.data() + offset, block.high_.c.data() + offset, where.part, n, x);
            draw_panel(x, first, n, block.streams_[at(tile)], block.hidden_, tile);
        }
    draw_visible(block, where, streams);
    activate(block, where.segment);
}

void RbmSpline::anneal(Block& block, double from, double to, const BlockStreams& streams, std::span<double> increments,
                       std::span<double> derivative) const {
    PEARLITE_EXPECTS(std::ssize(increments) == block.size() && std::ssize(derivative) == block.size());
    const auto at_from = place(from), where = place(to);
    if (at_from.segment != where.segment || block.segment_ != where.segment) {
        add_log_ratio(block, from, to, increments);
        move(block, to, streams);
        path_derivative(block, to, derivative);
        return;
    }
    const Index n_tiles = block.visible_.n_tiles();
    double log_densities[tile_chains];
    address_draws(block, streams, Purpose::hidden_units);
    for (Index tile = 0; tile < n_tiles; ++tile) {
        double* const known = block.log_density_.data() + tile * tile_chains;
        if (block.log_density_at_ != from) {
            log_density(block, tile, at_from.part, log_densities, [](auto&&...) {});
            std::copy_n(log_densities, tile_chains, known);
        }
        log_density(block, tile, where.part, log_densities, [&](Index first, Index n, const float* x) {
            draw_panel(x, first, n, block.streams_[at(tile)], block.hidden_, tile);
        });
        for (Index i = tile * tile_chains; i < std::min(block.size(), (tile + 1) * tile_chains); ++i)
            increments[at(i)] += log_densities[i % tile_chains] - known[i % tile_chains];
    }
    draw_visible(block, where, streams);
    activate(block, where.segment);
    for (Index tile = 0; tile < n_tiles; ++tile) {
        log_density(block, tile, where.part, log_densities, [](auto&&...) {}); // the next increment begins there
        std::copy_n(log_densities, tile_chains, block.log_density_.data() + tile * tile_chains);
        add_slopes(block, tile, where, derivative);
    }
    block.log_density_at_ = to;
}

Matrix RbmSpline::images(const Block& block, double b) const {
    const auto there = machine(b);
    const Matrix v = block.visible_.matrix().topLeftCorner(n_visible(), block.size()).cast<double>();
    Matrix h = product(1, there.weights.transpose(), v);
    h.colwise() += there.hidden_bias;
    Matrix field = product(1, there.weights, h.unaryExpr([](double x) { return logistic(x); }));
    field.colwise() += there.visible_bias;
    return field.unaryExpr([](double x) { return logistic(x); });
}

} // namespace pearlite::models
