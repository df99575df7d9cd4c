#include "models/rbm/training/rbm_learner.hpp"

#include "core/log_space.hpp"
#include "models/rbm/log_product.hpp"
#include "models/rbm/rbm.hpp"
#include "models/rbm/training/weights_kernels.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "random/fill.hpp"
#include "simd/instructions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;
using rbm_kernels::panel_units;
using rbm_kernels::tile_chains;
using rbm_kernels::word_units;

namespace {

/// Streams of fits stand beside those of chains and of examples: in generations of their own.
constexpr Index generation_of_fit = 2;
constexpr Index fit_group = 512; // images at a time
/// The number of an image among all: training ones first, then held-out ones.
constexpr Index images_of_a_kind = Index{1} << 39;

/// The lanes of a tile that are chains, a bit each.
std::uint16_t lanes_in_use(Index tile, Index n_chains) {
    const Index n = std::min(tile_chains, n_chains - tile * tile_chains);
    return static_cast<std::uint16_t>((std::uint32_t{1} << n) - 1);
}

/// The largest magnitude of an integer weight for which neither it nor a sum leaves its bits.
double largest_rounded(Index n_visible, Index n_hidden) {
    const double of_sums = 0x1p31 / static_cast<double>(std::max(n_visible, n_hidden)) - 1;
    return std::min(static_cast<double>(rbm_training::largest_packed), std::floor(of_sums));
}

} // namespace

RbmStates::RbmStates(Index n_visible, Index n_hidden, Index size)
    : visible_(n_visible, size), hidden_(n_hidden, size) {}

void RbmStates::pack(Index slot, std::span<std::byte> out) const {
    visible_.pack(slot, out.first(visible_.packed_bytes()));
    hidden_.pack(slot, out.subspan(visible_.packed_bytes()));
}

void RbmStates::unpack(Index slot, std::span<const std::byte> in) {
    visible_.unpack(slot, in.first(visible_.packed_bytes()));
    hidden_.unpack(slot, in.subspan(visible_.packed_bytes()));
}

RbmLearner::RbmLearner(std::shared_ptr<const TrainingData> data, const RbmLearnerSettings& settings,
                       const random::Seed& seed, simd::Path path)
    : data_(std::move(data)),
      seed_(seed),
      kernels_(&kernels_of(path)),
      n_hidden_(settings.n_hidden),
      stride_(padded(settings.n_hidden + 1)),
      weights_(at(padded(n_visible()) * stride_), 0.0f),
      visible_bias_(at(n_visible()), 0.0f),
      hidden_bias_(at(n_hidden_), 0.0f),
      weight_velocity_(weights_.size(), 0.0f),
      visible_velocity_(visible_bias_.size(), 0.0f),
      hidden_velocity_(hidden_bias_.size(), 0.0f),
      to_hidden_(n_hidden_, n_visible(), *kernels_),
      to_visible_(n_visible(), n_hidden_, *kernels_) {
    PEARLITE_EXPECTS(data_->training.size() > 0 && n_hidden_ >= 1 && settings.weight_sd >= 0);
    PEARLITE_EXPECTS(data_->held_out.cols() == 0 || data_->held_out.rows() == n_visible());
    std::vector<double> normals(at(n_visible() * n_hidden_));
    random::fill_normal({seed, Purpose::synthetic_data, 0, 0}, normals);
    for (Index i = 0; i < n_visible(); ++i)
        for (Index j = 0; j < n_hidden_; ++j)
            weights_[at(i * stride_ + j)] = static_cast<float>(settings.weight_sd * normals[at(i * n_hidden_ + j)]);
    Eigen::Array<std::int64_t, Eigen::Dynamic, 1> levels = decltype(levels)::Zero(n_visible());
    for (Index image = 0; image < data_->training.cols(); ++image)
        levels += data_->binarisation == Binarisation::stochastic
                      ? data_->training.col(image).cast<std::int64_t>().array().eval()
                      : (data_->training.col(image).array() > 127).cast<std::int64_t>().eval() * 255;
    const Vector logits = base_rate_bias(levels.cast<double>().matrix() / 255.0, data_->training.cols());
    std::transform(logits.begin(), logits.end(), visible_bias_.begin(), [](double x) { return static_cast<float>(x); });
    start_bias_ = visible_bias_;
    round();
}

std::unique_ptr<Block> RbmLearner::make_block(Index size) const {
    return std::make_unique<RbmStates>(n_visible(), n_hidden_, size);
}

bool RbmLearner::round() {
    return simd::on_this_cpu([&](auto cpu) {
        using Cpu = decltype(cpu);
        const float largest = rbm_training::largest_magnitude<Cpu>(weights_.data(), std::ssize(weights_));
        for (const Floats* bias : {&visible_bias_, &hidden_bias_})
            if (!std::isfinite(rbm_training::largest_magnitude<Cpu>(bias->data(), std::ssize(*bias))))
                return false;
        if (!std::isfinite(largest))
            return false;
        const auto smallest = std::numeric_limits<float>::min();
        const auto scale = std::nextafter(
            std::max(static_cast<float>(static_cast<double>(largest) / largest_rounded(n_visible(), n_hidden_)),
                     smallest),
            std::numeric_limits<float>::infinity());
        to_hidden_.set_scale(scale);
        to_visible_.set_scale(scale);
        rbm_training::pack_both<Cpu>({weights_.data(), n_visible(), n_hidden_, stride_, scale, kernels_->format,
                                      to_visible_.packed(), to_hidden_.packed()});
        return true;
    });
}

void RbmLearner::set_visible(BinaryUnits& units, Index chain, const std::uint8_t* grey, const random::Address& address,
                             PixelMemory& memory) const {
    auto& [probability, on] = memory;
    probability.resize(at(n_visible()));
    on.resize(at(padded(n_visible()) + word_units), 0); // whole words, off beyond the last unit
    if (data_->binarisation == Binarisation::stochastic) {
        for (Index i = 0; i < n_visible(); ++i)
            probability[at(i)] = static_cast<float>(grey[i]) / 255.0f;
        random::fill_bernoulli(address, probability, std::span(on).first(probability.size()));
    } else {
        for (Index i = 0; i < n_visible(); ++i)
            on[at(i)] = grey[i] > 127 ? 1 : 0;
    }
    std::uint32_t* const words = units.words(chain / tile_chains) + chain % tile_chains;
    for (Index first = 0; first < n_visible(); first += word_units) {
        std::uint32_t word = 0;
        for (Index eight = 0; eight < word_units; eight += 8) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, on.data() + first + eight, sizeof bytes);
            constexpr std::uint64_t to_top_byte = 0x0102040810204080; // bit 0 of byte i comes to bit 56 + i
            word |= static_cast<std::uint32_t>(bytes * to_top_byte >> 56) << eight;
        }
        words[first / word_units * tile_chains] = word;
    }
}

template <class Use>
void RbmLearner::draw(const Layer& layer, const BinaryUnits& from, BinaryUnits& to, const Floats& bias, Purpose purpose,
                      const BlockStreams& streams, LayerWorkspace& work, Use use) const {
    if (from.n_chains() == 0)
        return;
    rbm_kernels::Aligned<rbm_kernels::DrawStreams> addresses(at(from.n_tiles()));
    for (Index tile = 0; tile < from.n_tiles(); ++tile)
        addresses[at(tile)] = draw_streams(streams, purpose, tile);
    alignas(64) float factors[tile_chains];
    layer.by_panels(from, work, [&](Index tile, Index first, Index n, const std::int32_t* sums) {
        float* const x = work.fields.data();
        kernels_->fields(sums, n, layer.scale().data() + first, bias.data() + first, x);
        addresses[at(tile)].first_unit = static_cast<std::uint32_t>(first);
        kernels_->draw({x, n, exponent_scale(1), &addresses[at(tile)],
                        to.words(tile) + first / word_units * tile_chains, factors});
        use(tile, n, x, factors);
    });
}

void RbmLearner::draw(const Layer& layer, const BinaryUnits& from, BinaryUnits& to, const Floats& bias, Purpose purpose,
                      const BlockStreams& streams, LayerWorkspace& work) const {
    draw(layer, from, to, bias, purpose, streams, work, [](auto&&...) {});
}

void RbmLearner::draw_start(Block& block, const BlockStreams& streams) const {
    auto& states = own_block<RbmStates>(block);
    alignas(64) float x[panel_units * tile_chains], factors[tile_chains];
    for (Index tile = 0; tile < states.visible_.n_tiles(); ++tile) {
        auto addresses = draw_streams(streams, Purpose::start, tile);
        for (Index first = 0; first < n_visible(); first += panel_units) {
            const Index n = std::min(panel_units, n_visible() - first);
            for (Index i = 0; i < n; ++i)
                std::fill_n(x + i * tile_chains, tile_chains, start_bias_[at(first + i)]);
            addresses.first_unit = static_cast<std::uint32_t>(first);
            kernels_->draw({x, n, exponent_scale(1), &addresses,
                            states.visible_.words(tile) + first / word_units * tile_chains, factors});
        }
    }
    draw_hidden(block, streams);
}

void RbmLearner::observe(Block& block, std::span<const Index> examples, std::uint32_t epoch) const {
    auto& states = own_block<RbmStates>(block);
    PEARLITE_EXPECTS(std::ssize(examples) == states.size());
    PixelMemory memory;
    for (Index chain = 0; chain < states.size(); ++chain) {
        const Index image = examples[at(chain)];
        set_visible(states.visible_, chain, data_->training.col(image).data(),
                    {seed_, Purpose::binary_image, random::slot_id(0, image), epoch}, memory);
    }
}

void RbmLearner::draw_hidden(Block& block, const BlockStreams& streams) const {
    auto& states = own_block<RbmStates>(block);
    draw(to_hidden_, states.visible_, states.hidden_, hidden_bias_, Purpose::hidden_units, streams, states.work_);
}

void RbmLearner::copy(const Block& from, Block& to) const {
    const auto& source = own_block<RbmStates>(from);
    auto& target = own_block<RbmStates>(to);
    target.visible_ = source.visible_;
    target.hidden_ = source.hidden_;
}

void RbmLearner::sweep(Block& block, const BlockStreams& streams) const {
    auto& states = own_block<RbmStates>(block);
    draw(to_visible_, states.hidden_, states.visible_, visible_bias_, Purpose::visible_units, streams, states.work_);
    draw_hidden(block, streams);
}

rbm_kernels::PairPlanes RbmLearner::planes_of(const RbmStates& states, std::int32_t factor,
                                              PlanesOfBlock& memory) const {
    const Index n_tiles = states.visible().n_tiles(), n_words = (n_tiles + 1) / 2;
    memory.rows.resize(at(2 * n_words * (n_visible() + 1)));
    memory.columns.resize(at(2 * n_words * stride_));
    for (Index half = 0; half < 2 * n_words; ++half) {
        std::uint16_t* const rows = memory.rows.data() + half;
        std::uint16_t* const columns = memory.columns.data() + half / 2 * 2 * stride_ + half % 2;
        const std::uint16_t used = half < n_tiles ? lanes_in_use(half, states.size()) : std::uint16_t{0};
        if (used != 0) {
            kernels_->planes(states.visible().words(half), n_visible(), rows, 2 * n_words);
            kernels_->planes(states.hidden().words(half), n_hidden_, columns, 2);
        }
        for (Index i = 0; i < n_visible(); ++i)
            rows[i * 2 * n_words] &= used;
        rows[n_visible() * 2 * n_words] = used;
        columns[n_hidden_ * 2] = 0xffff;
    }
    return {reinterpret_cast<const std::uint32_t*>(memory.rows.data()),
            reinterpret_cast<const std::uint32_t*>(memory.columns.data()), n_words, factor};
}

void RbmLearner::count(const Block& data, std::int32_t data_factor, const Block& chains, std::int32_t model_factor,
                       std::span<std::int32_t> counts) {
    PEARLITE_EXPECTS(std::ssize(counts) == n_counts());
    kernels_->count_pairs({{planes_of(own_block<RbmStates>(data), data_factor, data_planes_),
                            planes_of(own_block<RbmStates>(chains), -model_factor, chain_planes_)},
                           n_visible() + 1,
                           stride_,
                           counts.data()});
}

bool RbmLearner::ascend(std::span<const std::int32_t> counts, double per_count, const model::Ascent& ascent) {
    PEARLITE_EXPECTS(std::ssize(counts) == n_counts());
    const rbm_training::Step of_weights{static_cast<float>(ascent.rate), static_cast<float>(ascent.momentum),
                                        static_cast<float>(ascent.decay), static_cast<float>(per_count)};
    auto of_biases = of_weights;
    of_biases.decay = 0;
    simd::on_this_cpu([&](auto cpu) {
        using Cpu = decltype(cpu);
        std::vector<std::int32_t> of_visible(at(n_visible()));
        for (Index i = 0; i < n_visible(); ++i) {
            const std::int32_t* const row = counts.data() + i * stride_;
            rbm_training::ascend<Cpu>(weights_.data() + i * stride_, weight_velocity_.data() + i * stride_, row,
                                      n_hidden_, of_weights);
            of_visible[at(i)] = row[n_hidden_];
        }
        rbm_training::ascend<Cpu>(visible_bias_.data(), visible_velocity_.data(), of_visible.data(), n_visible(),
                                  of_biases);
        rbm_training::ascend<Cpu>(hidden_bias_.data(), hidden_velocity_.data(), counts.data() + n_visible() * stride_,
                                  n_hidden_, of_biases);
    });
    return round();
}

void RbmLearner::watch(Examples which, Index first, Index count) {
    PEARLITE_EXPECTS(first >= 0 && count >= 0 && first + count <= n_examples(which));
    auto& [begin, visible] = watched(which);
    begin = first;
    visible.clear();
    PixelMemory memory;
    const Index kind = which == Examples::training ? 0 : images_of_a_kind;
    for (Index group = 0; group < count; group += fit_group) {
        auto& units = visible.emplace_back(n_visible(), std::min(fit_group, count - group));
        for (Index k = 0; k < units.n_chains(); ++k) {
            const Index image = first + group + k;
            set_visible(units, k, images(which).col(image).data(),
                        {seed_, Purpose::binary_image, random::slot_id(1, kind + image), 0}, memory);
        }
    }
}

model::Fit RbmLearner::fit(Examples which, std::uint32_t step) const {
    const auto& [begin, visible] = watched(which);
    const Index generation = generation_of_fit + (which == Examples::training ? 0 : 1);
    model::Fit fit;
    Index first = begin;
    for (const auto& units : visible) {
        add_fit(units, {seed_, step, generation, first, 0}, fit);
        first += units.n_chains();
    }
    return fit;
}

void RbmLearner::add_fit(const BinaryUnits& visible, const BlockStreams& streams, model::Fit& fit) const {
    LayerWorkspace work;
    const Index n_tiles = visible.n_tiles();
    std::vector<std::array<double, tile_chains>> positive(at(n_tiles), {{}});
    std::vector<LogProduct> factors(at(n_tiles));
    BinaryUnits hidden(n_hidden_, visible.n_chains()), drawn(n_visible(), visible.n_chains());
    draw(to_hidden_, visible, hidden, hidden_bias_, Purpose::hidden_units, streams, work,
         [&](Index tile, Index n, const float* x, const float(&of_panel)[tile_chains]) {
             rbm_kernels::Statistics part;
             kernels_->statistics(x, n, exponent_scale(1), part);
             for (Index lane = 0; lane < tile_chains; ++lane)
                 positive[at(tile)][at(lane)] += static_cast<double>(part.positive[lane]);
             factors[at(tile)].multiply(of_panel);
         });
    draw(to_visible_, hidden, drawn, visible_bias_, Purpose::visible_units, streams, work);
    const Index n_words = (n_visible() + word_units - 1) / word_units;
    for (Index tile = 0; tile < n_tiles; ++tile) {
        double linear[tile_chains];
        sum_on(*kernels_, visible, tile, visible_bias_.data(), false, linear);
        for (Index lane = 0; lane < std::min(tile_chains, visible.n_chains() - tile * tile_chains); ++lane) {
            fit.free_energy.add(-(linear[lane] + positive[at(tile)][at(lane)] + factors[at(tile)].at(lane)));
            for (Index word = 0; word < n_words; ++word)
                fit.wrong_units += std::popcount(visible.words(tile)[word * tile_chains + lane] ^
                                                 drawn.words(tile)[word * tile_chains + lane]);
        }
    }
}

} // namespace pearlite::models
