#include "models/rbm/training/rbm_learner.hpp"

#include "models/rbm/log_product.hpp"
#include "models/rbm/rbm.hpp"
#include "models/rbm/weights_kernels.hpp"
#include "random/fill.hpp"
#include "simd/instructions.hpp"

#include <bit>
#include <cstring>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;
using rbm_kernels::tile_chains;
using rbm_kernels::word_units;

namespace {

/// Streams of fits have other generations than those of chains and of examples.
constexpr Index generation_of_fit = 2;
constexpr Index fit_group = 512; // images at a time
/// The number of an image among all: training ones first, then held-out ones.
constexpr Index images_of_a_kind = Index{1} << 39;

} // namespace

RbmLearner::RbmLearner(std::shared_ptr<const TrainingData> data, const RbmLearnerSettings& settings,
                       const random::Seed& seed, simd::Path path)
    : data_(std::move(data)),
      seed_(seed),
      rbm_(data_->training.rows(), settings.n_hidden, path),
      weight_velocity_(rbm_.weights.size(), 0.0f),
      visible_velocity_(rbm_.visible_bias.size(), 0.0f),
      hidden_velocity_(rbm_.hidden_bias.size(), 0.0f) {
    PEARLITE_EXPECTS(data_->training.size() > 0 && settings.n_hidden >= 1 && settings.weight_sd >= 0);
    PEARLITE_EXPECTS(data_->held_out.cols() == 0 || data_->held_out.rows() == n_visible());
    std::vector<double> normals(at(n_visible() * n_hidden()));
    random::fill_normal({seed, Purpose::synthetic_data, 0, 0}, normals);
    for (Index i = 0; i < n_visible(); ++i)
        for (Index j = 0; j < n_hidden(); ++j)
            rbm_.weights[at(i * rbm_.stride() + j)] =
                static_cast<float>(settings.weight_sd * normals[at(i * n_hidden() + j)]);
    Eigen::Array<std::int64_t, Eigen::Dynamic, 1> levels = decltype(levels)::Zero(n_visible());
    for (Index image = 0; image < data_->training.cols(); ++image)
        levels += data_->binarisation == Binarisation::stochastic
                      ? data_->training.col(image).cast<std::int64_t>().array().eval()
                      : (data_->training.col(image).array() > 127).cast<std::int64_t>().eval() * 255;
    const Vector logits = base_rate_bias(levels.cast<double>().matrix() / 255.0, data_->training.cols());
    std::transform(logits.begin(), logits.end(), rbm_.visible_bias.begin(),
                   [](double x) { return static_cast<float>(x); });
    start_bias_ = rbm_.visible_bias;
    rbm_.round();
}

std::unique_ptr<Block> RbmLearner::make_block(Index size) const {
    return std::make_unique<RbmStates>(n_visible(), n_hidden(), size);
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

void RbmLearner::draw_start(Block& block, const BlockStreams& streams) const {
    auto& states = own_block<RbmStates>(block);
    draw_independent(rbm_.kernels(), start_bias_, Purpose::start, streams, states.visible());
    rbm_.draw_hidden(states, streams);
}

void RbmLearner::observe(Block& block, std::span<const Index> examples, std::uint32_t epoch) const {
    auto& states = own_block<RbmStates>(block);
    PEARLITE_EXPECTS(std::ssize(examples) == states.size());
    PixelMemory memory;
    for (Index chain = 0; chain < states.size(); ++chain) {
        const Index image = examples[at(chain)];
        set_visible(states.visible(), chain, data_->training.col(image).data(),
                    {seed_, Purpose::binary_image, random::slot_id(0, image), epoch}, memory);
    }
}

void RbmLearner::draw_hidden(Block& block, const BlockStreams& streams) const {
    rbm_.draw_hidden(own_block<RbmStates>(block), streams);
}

void RbmLearner::copy(const Block& from, Block& to) const {
    const auto& source = own_block<RbmStates>(from);
    auto& target = own_block<RbmStates>(to);
    target.visible() = source.visible();
    target.hidden() = source.hidden();
}

void RbmLearner::sweep(Block& block, const BlockStreams& streams) const {
    rbm_.sweep(own_block<RbmStates>(block), streams);
}

void RbmLearner::count(const Block& data, std::int32_t data_factor, const Block& chains, std::int32_t model_factor,
                       model::Counts counts) {
    std::visit(
        [&](auto numbers) {
            rbm_.count(own_block<RbmStates>(data), data_factor, own_block<RbmStates>(chains), -model_factor, numbers);
        },
        counts);
}

bool RbmLearner::ascend(model::ConstCounts counts, double per_count, const model::Ascent& ascent) {
    std::visit([&](auto numbers) { step(numbers, per_count, ascent); }, counts);
    return rbm_.round();
}

template <class Count>
void RbmLearner::step(std::span<const Count> counts, double per_count, const model::Ascent& ascent) {
    PEARLITE_EXPECTS(std::ssize(counts) == n_counts());
    const rbm_training::Step of_weights{static_cast<float>(ascent.rate), static_cast<float>(ascent.momentum),
                                        static_cast<float>(ascent.decay), static_cast<float>(per_count)};
    auto of_biases = of_weights;
    of_biases.decay = 0;
    simd::on_this_cpu([&](auto cpu) {
        using Cpu = decltype(cpu);
        std::vector<Count> of_visible(at(n_visible()));
        for (Index i = 0; i < n_visible(); ++i) {
            const Count* const row = counts.data() + i * rbm_.stride();
            rbm_training::ascend<Cpu>(rbm_.weights.data() + i * rbm_.stride(),
                                      weight_velocity_.data() + i * rbm_.stride(), row, n_hidden(), of_weights);
            of_visible[at(i)] = row[n_hidden()];
        }
        rbm_training::ascend<Cpu>(rbm_.visible_bias.data(), visible_velocity_.data(), of_visible.data(), n_visible(),
                                  of_biases);
        rbm_training::ascend<Cpu>(rbm_.hidden_bias.data(), hidden_velocity_.data(),
                                  counts.data() + n_visible() * rbm_.stride(), n_hidden(), of_biases);
    });
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
    BinaryUnits hidden(n_hidden(), visible.n_chains()), drawn(n_visible(), visible.n_chains());
    rbm_.draw(rbm_.to_hidden(), visible, hidden, rbm_.hidden_bias, Purpose::hidden_units, streams, work,
              [&](Index tile, Index n, const float* x, const float(&of_panel)[tile_chains]) {
                  rbm_kernels::Statistics part;
                  rbm_.kernels().statistics(x, n, exponent_scale(1), part);
                  for (Index lane = 0; lane < tile_chains; ++lane)
                      positive[at(tile)][at(lane)] += static_cast<double>(part.positive[lane]);
                  factors[at(tile)].multiply(of_panel);
              });
    rbm_.draw(rbm_.to_visible(), hidden, drawn, rbm_.visible_bias, Purpose::visible_units, streams, work);
    const Index n_words = (n_visible() + word_units - 1) / word_units;
    for (Index tile = 0; tile < n_tiles; ++tile) {
        double linear[tile_chains];
        sum_on(rbm_.kernels(), visible, tile, rbm_.visible_bias.data(), false, linear);
        for (Index lane = 0; lane < std::min(tile_chains, visible.n_chains() - tile * tile_chains); ++lane) {
            fit.free_energy.add(-(linear[lane] + positive[at(tile)][at(lane)] + factors[at(tile)].at(lane)));
            for (Index word = 0; word < n_words; ++word)
                fit.wrong_units += std::popcount(visible.words(tile)[word * tile_chains + lane] ^
                                                 drawn.words(tile)[word * tile_chains + lane]);
        }
    }
}

} // namespace pearlite::models
