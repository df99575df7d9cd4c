#include "models/rbm/rbm.hpp"

#include "models/rbm/log_product.hpp"

#include "core/exact_sum.hpp"
#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"
#include "simd/instructions.hpp"

#include <numbers>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;
using rbm_kernels::panel_units;
using rbm_kernels::tile_chains;

static_assert(model::HasFusedAnneal<Rbm>);

namespace {

bool in_path(double b) {
    return b >= 0 && b <= 1;
}

/// The lanes of a tile that are chains.
Index chains_of(Index tile, Index size) {
    return std::min(tile_chains, size - tile * tile_chains);
}

/// log f_to(v) - log f_from(v), given sum_j log(1 + exp(-|b c_j|)) and sum_j max(c_j, 0) at both: log(1 + exp(b c)) = b
/// max(c, 0) + log(1 + exp(-|b c|)). Only where the weights differ c does.
double log_ratio(double from, double to, double linear, double positive_from, double positive_to, double log_from,
                 double log_to) {
    return (to - from) * (linear + positive_from) + to * (positive_to - positive_from) + (log_to - log_from);
}

} // namespace

struct Rbm::HiddenSums {
    double positive[tile_chains], slope[tile_chains], log_factors[tile_chains];
};

Rbm::Rbm(RbmParameters parameters, simd::Path path, WeightPrecision precision)
    : parameters_(std::move(parameters)),
      kernels_(&kernels_of(path)),
      to_hidden_(rbm_kernels::round_by_output(parameters_.weights.transpose()), *kernels_),
      to_visible_(rbm_kernels::round_by_output(parameters_.weights), *kernels_),
      hidden_bias_(parameters_.hidden_bias.cast<float>()) {
    const Index n = n_visible();
    PEARLITE_EXPECTS(n >= 1 && n_hidden() >= 1);
    PEARLITE_EXPECTS(parameters_.visible_bias.size() == n && parameters_.base_bias.size() == n);
    PEARLITE_EXPECTS(parameters_.hidden_bias.size() == n_hidden());
    if (precision != WeightPrecision::bits24) {
        const auto rounded =
            rbm_kernels::round_alike(parameters_.weights, precision == WeightPrecision::bits16 ? 2 : 1);
        rounded_.emplace(Rounded{{rbm_kernels::transposed(rounded), *kernels_}, {rounded, *kernels_}});
    }
    linear_bias_ = (parameters_.visible_bias - parameters_.base_bias).cast<float>();
}

void Rbm::expect_own(const Block& block) const {
    PEARLITE_EXPECTS(block.n_visible() == n_visible() && block.n_hidden() == n_hidden());
}

void Rbm::address_draws(Block& block, const BlockStreams& streams, Purpose purpose) const {
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile)
        block.streams_[at(tile)] = draw_streams(streams, purpose, tile);
}

void Rbm::draw_panel(const float* x, Index first, Index n, float scale, rbm_kernels::DrawStreams& streams,
                     BinaryUnits& units, Index tile, float (&factors)[tile_chains]) const {
    streams.first_unit = static_cast<std::uint32_t>(first);
    kernels_->draw({x, n, scale, &streams, units.words(tile) + first / rbm_kernels::word_units * tile_chains, factors});
}

void Rbm::draw_start(Block& block, const BlockStreams& streams) const {
    expect_own(block);
    const Eigen::VectorXf base = parameters_.base_bias.cast<float>();
    draw_independent(*kernels_, {base.data(), at(base.size())}, Purpose::start, streams, block.visible_);
    prepare(block);
}

void Rbm::prepare(Block& block) const {
    expect_own(block);
    activate(block, rounded_.has_value());
}

void Rbm::activate_for(Block& block, double b) const {
    if (block.is_rounded_ != is_rounded(b))
        activate(block, is_rounded(b));
}

const RbmBlock& Rbm::with_weights_at(double b, const Block& block, std::optional<Block>& other) const {
    if (block.is_rounded_ == is_rounded(b))
        return block;
    activate(other.emplace(block), is_rounded(b));
    return *other;
}

void Rbm::activate(Block& block, bool is_rounded) const {
    const Layer& layer = is_rounded ? rounded_->to_hidden : to_hidden_;
    layer.by_panels(block.visible_, block.work_, [&](Index tile, Index first, Index n, const std::int32_t* sums) {
        kernels_->fields(sums, n, layer.scale().data() + first, hidden_bias_.data() + first,
                         block.pre_activation(tile) + first * tile_chains);
    });
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile) {
        double linear[tile_chains];
        sum_on(*kernels_, block.visible_, tile, linear_bias_.data(), false, linear);
        std::copy_n(linear, tile_chains, block.linear_.data() + tile * tile_chains);
    }
    block.factors_at_ = std::numeric_limits<double>::quiet_NaN();
    block.is_rounded_ = is_rounded;
}

Rbm::HiddenSums Rbm::hidden_sums(const Block& block, Index tile, double b) const {
    HiddenSums sums{};
    LogProduct factors;
    for (Index first = 0; first < n_hidden(); first += panel_units) {
        rbm_kernels::Statistics part;
        kernels_->statistics(block.pre_activation(tile) + first * tile_chains,
                             std::min(panel_units, n_hidden() - first), exponent_scale(b), part);
        for (Index lane = 0; lane < tile_chains; ++lane) {
            sums.positive[lane] += static_cast<double>(part.positive[lane]);
            sums.slope[lane] += static_cast<double>(part.slope[lane]);
        }
        factors.multiply(part.factors);
    }
    for (Index lane = 0; lane < tile_chains; ++lane)
        sums.log_factors[lane] = factors.at(lane);
    return sums;
}

void Rbm::remember_factors(Block& block, Index tile, double b, const HiddenSums& sums) const {
    std::copy_n(sums.positive, tile_chains, block.positive_.data() + tile * tile_chains);
    std::copy_n(sums.log_factors, tile_chains, block.log_factors_.data() + tile * tile_chains);
    block.factors_at_ = b;
}

void Rbm::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(from) && in_path(to) && std::ssize(out) == block.size());
    std::optional<Block> other_from, other_to;
    const Block &from_block = with_weights_at(from, block, other_from),
                &to_block = with_weights_at(to, block, other_to);
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile) {
        const HiddenSums at_from = hidden_sums(from_block, tile, from), at_to = hidden_sums(to_block, tile, to);
        for (Index lane = 0; lane < chains_of(tile, block.size()); ++lane) {
            const std::size_t i = at(tile * tile_chains + lane);
            out[i] += log_ratio(from, to, block.linear_[i], at_from.positive[lane], at_to.positive[lane],
                                at_from.log_factors[lane], at_to.log_factors[lane]);
        }
    }
}

void Rbm::path_derivative(const Block& block, double b, std::span<double> out) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(b) && std::ssize(out) == block.size());
    std::optional<Block> other;
    const Block& at_b = with_weights_at(b, block, other);
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile) {
        const HiddenSums sums = hidden_sums(at_b, tile, b);
        for (Index lane = 0; lane < chains_of(tile, block.size()); ++lane)
            out[at(tile * tile_chains + lane)] = block.linear_[at(tile * tile_chains + lane)] + sums.slope[lane];
    }
}

std::optional<double> Rbm::log_normaliser_start() const {
    double sum = static_cast<double>(n_hidden()) * std::numbers::ln2;
    for (const double a0 : parameters_.base_bias)
        sum += softplus(a0);
    return sum;
}

Index Rbm::image_rows() const {
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n_visible()))));
    return side * side == n_visible() ? side : 1;
}

void Rbm::fingerprint(model::Fingerprint& fingerprint) const {
    const auto values = [](const auto& array) {
        return std::span<const double>(array.data(), static_cast<std::size_t>(array.size()));
    };
    fingerprint.add(name);
    fingerprint.add(static_cast<double>(n_visible()));
    fingerprint.add(static_cast<double>(n_hidden()));
    fingerprint.add(values(parameters_.weights));
    fingerprint.add(values(parameters_.visible_bias));
    fingerprint.add(values(parameters_.hidden_bias));
    fingerprint.add(values(parameters_.base_bias));
    if (rounded_)
        fingerprint.add(rounded_->to_hidden.n_limbs() == 2 ? "weights of 16 bits on the path"
                                                           : "weights of 8 bits on the path");
    const auto add_images = [&](const auto& images) {
        fingerprint.add(std::string_view(reinterpret_cast<const char*>(images.data()), at(images.size())));
    };
    add_images(parameters_.images);
    if (has_test_data()) {
        add_images(parameters_.test.images);
        fingerprint.add(static_cast<double>(parameters_.test.form));
        fingerprint.add(static_cast<double>(parameters_.test.seed));
    }
}

void Rbm::draw_data(Block& block, double, const BlockStreams& streams) const {
    expect_own(block);
    PEARLITE_EXPECTS(has_data());
    draw_images(parameters_, streams, block.visible_);
    prepare(block);
}

model::TestData Rbm::test_data() const {
    using Form = RbmTestImages::Form;
    PEARLITE_EXPECTS(has_test_data());
    const auto& [images, form, seed] = parameters_.test;
    constexpr Index group = 512; // images at a time
    model::TestData data;
    std::vector<float> units(at(n_visible()));
    for (Index first = 0; first < images.cols(); first += group) {
        Matrix v = images.middleCols(first, std::min(group, images.cols() - first)).cast<double>() / 255;
        for (Index image = 0; image < v.cols() && form != Form::grey; ++image) {
            const std::vector<float> probability(v.col(image).begin(), v.col(image).end());
            if (form == Form::stochastic)
                random::fill_bernoulli({seed, Purpose::binary_image, random::slot_id(0, first + image), 0}, probability,
                                       units);
            else
                std::transform(probability.begin(), probability.end(), units.begin(),
                               [](float p) { return p > 0.5f ? 1.0f : 0.0f; });
            std::copy(units.begin(), units.end(), v.col(image).begin());
        }
        Matrix c = product(1, parameters_.weights.transpose(), v);
        c.colwise() += parameters_.hidden_bias;
        for (Index image = 0; image < v.cols(); ++image)
            data.log_densities.push_back(
                ordered_sum(n_visible(), [&](Index i) { return parameters_.visible_bias[i] * v(i, image); }) +
                ordered_sum(n_hidden(), [&](Index j) { return softplus(c(j, image)); }));
    }
    data.form = form == Form::stochastic ? "stochastic" : form == Form::threshold ? "threshold" : "grey";
    if (form == Form::stochastic)
        data.seed = seed;
    return data;
}

void Rbm::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    const bool are_alike = a.is_rounded_ == b.is_rounded_;
    for (std::size_t i = 0; i < which.size(); ++i) {
        if (which[i] == 0)
            continue;
        const auto chain = static_cast<Index>(i);
        a.visible_.swap(chain, b.visible_);
        if (!are_alike)
            continue;
        float *const from = a.pre_activation(chain / tile_chains), *const to = b.pre_activation(chain / tile_chains);
        for (Index j = 0; j < n_hidden(); ++j)
            std::swap(from[j * tile_chains + chain % tile_chains], to[j * tile_chains + chain % tile_chains]);
        std::swap(a.linear_[i], b.linear_[i]);
    }
    a.factors_at_ = b.factors_at_ = std::numeric_limits<double>::quiet_NaN();
    if (!are_alike)
        for (Block* const block : {&a, &b})
            activate(*block, block->is_rounded_);
}

void Rbm::move(Block& block, double b, const BlockStreams& streams) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(b));
    draw_hidden_given_visible(block, b, streams);
    draw_visible_given_hidden(block, b, streams);
}

void Rbm::draw_hidden_given_visible(Block& block, double b, const BlockStreams& streams) const {
    activate_for(block, b);
    address_draws(block, streams, Purpose::hidden_units);
    alignas(64) float factors[tile_chains];
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile)
        for (Index first = 0; first < n_hidden(); first += panel_units)
            draw_panel(block.pre_activation(tile) + first * tile_chains, first,
                       std::min(panel_units, n_hidden() - first), exponent_scale(b), block.streams_[at(tile)],
                       block.hidden_, tile, factors);
}

void Rbm::anneal(Block& block, double from, double to, const BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(from) && in_path(to) && std::ssize(increments) == block.size());
    PEARLITE_EXPECTS(std::ssize(derivative) == block.size());
    if (is_rounded(from) != is_rounded(to)) { // the last step
        add_log_ratio(block, from, to, increments);
        move(block, to, streams);
        path_derivative(block, to, derivative);
        return;
    }
    activate_for(block, from);
    const Index n_tiles = block.visible_.n_tiles();
    if (block.factors_at_ != from)
        for (Index tile = 0; tile < n_tiles; ++tile)
            remember_factors(block, tile, from, hidden_sums(block, tile, from));
    address_draws(block, streams, Purpose::hidden_units);
    for (Index tile = 0; tile < n_tiles; ++tile) {
        LogProduct at_to; // the draws need its factors as well
        for (Index first = 0; first < n_hidden(); first += panel_units) {
            alignas(64) float factors[tile_chains];
            draw_panel(block.pre_activation(tile) + first * tile_chains, first,
                       std::min(panel_units, n_hidden() - first), exponent_scale(to), block.streams_[at(tile)],
                       block.hidden_, tile, factors);
            at_to.multiply(factors);
        }
        for (Index lane = 0; lane < chains_of(tile, block.size()); ++lane) {
            const std::size_t i = at(tile * tile_chains + lane);
            increments[i] += log_ratio(from, to, block.linear_[i], block.positive_[i], block.positive_[i],
                                       block.log_factors_[i], at_to.at(lane));
        }
    }
    draw_visible_given_hidden(block, to, streams);
    for (Index tile = 0; tile < n_tiles; ++tile) {
        const HiddenSums sums = hidden_sums(block, tile, to);
        remember_factors(block, tile, to, sums); // the next increment begins there
        for (Index lane = 0; lane < chains_of(tile, block.size()); ++lane)
            derivative[at(tile * tile_chains + lane)] = block.linear_[at(tile * tile_chains + lane)] + sums.slope[lane];
    }
}

void Rbm::draw_visible_given_hidden(Block& block, double b, const BlockStreams& streams) const {
    address_draws(block, streams, Purpose::visible_units);
    const Layer& layer = is_rounded(b) ? rounded_->to_visible : to_visible_;
    block.scale_ = static_cast<float>(b) * layer.scale();
    block.bias_ = (b * parameters_.visible_bias + (1 - b) * parameters_.base_bias).cast<float>();
    alignas(64) float factors[tile_chains];
    layer.by_panels(block.hidden_, block.work_, [&](Index tile, Index first, Index n, const std::int32_t* sums) {
        float* const x = block.work_.fields.data();
        kernels_->fields(sums, n, block.scale_.data() + first, block.bias_.data() + first, x);
        draw_panel(x, first, n, exponent_scale(1), block.streams_[at(tile)], block.visible_, tile, factors);
    });
    activate(block, is_rounded(b));
}

Matrix Rbm::visible_probabilities(const Block& block, double b) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(b));
    std::optional<Block> other;
    const Block& at_b = with_weights_at(b, block, other);
    const auto mean_of = [](double field) { return logistic(field); };
    Matrix c(n_hidden(), block.size());
    for (Index chain = 0; chain < block.size(); ++chain)
        for (Index j = 0; j < n_hidden(); ++j)
            c(j, chain) =
                static_cast<double>(at_b.pre_activation(chain / tile_chains)[j * tile_chains + chain % tile_chains]);
    Matrix field = product(b, parameters_.weights, (b * c).unaryExpr(mean_of));
    field.colwise() += (1 - b) * parameters_.base_bias + b * parameters_.visible_bias;
    return field.unaryExpr(mean_of);
}

std::optional<double> Rbm::exact_log_ratio(double b_end) const {
    PEARLITE_EXPECTS(b_end >= 0 && b_end <= 1);
    if (std::min(n_visible(), n_hidden()) > max_enumerated_units || is_rounded(b_end))
        return std::nullopt;
    const Vector visible = (1 - b_end) * parameters_.base_bias + b_end * parameters_.visible_bias;
    const Vector hidden = b_end * parameters_.hidden_bias;
    const Matrix weights = b_end * parameters_.weights;
    const double log_sum = simd::on_this_cpu([&](auto cpu) {
        return n_hidden() <= n_visible() ? log_sum_over_states<decltype(cpu)>(hidden, visible, weights)
                                         : log_sum_over_states<decltype(cpu)>(visible, hidden, weights.transpose());
    });
    return log_sum - log_normaliser_start().value();
}

} // namespace pearlite::models
