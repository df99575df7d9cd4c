#include "models/rbm/layer.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <numbers>

namespace pearlite::models {

using namespace rbm_kernels;

static_assert(block_padding == tile_chains && padded(1) == output_padding);

const Kernels& kernels_of(simd::Path path) {
    switch (path) {
    case simd::Path::avx2:
        return avx2_kernels;
    case simd::Path::avx512:
        return avx512_kernels;
    case simd::Path::vnni:
        return vnni_kernels;
    case simd::Path::amx:
        return amx_kernels;
    case simd::Path::portable:
        break;
    }
    return portable_kernels;
}

Layer::Layer(const IntegerWeights& weights, const Kernels& kernels)
    : kernels_(&kernels),
      n_inputs_(weights.digits.cols()),
      n_limbs_(weights.n_limbs),
      scale_(weights.scale.cast<float>()),
      packed_(pack(weights, kernels.format)) {}

Layer::Layer(Index n_outputs, Index n_inputs, const Kernels& kernels)
    : Layer({IntegerWeights::Digits::Zero(n_outputs, n_inputs), Vector::Zero(n_outputs)}, kernels) {}

SumTask Layer::begin(const BinaryUnits& inputs, LayerWorkspace& workspace) const {
    PEARLITE_EXPECTS(inputs.n_units() == n_inputs_);
    const auto reserve = [](auto& memory, std::size_t size) {
        if (memory.size() < size)
            memory.resize(size);
    };
    const Index n_tiles = inputs.n_tiles();
    const std::size_t state_bytes = kernels_->spread_bytes(n_inputs_);
    reserve(workspace.states, at(n_tiles) * state_bytes);
    reserve(workspace.scratch, kernels_->scratch_bytes(n_inputs_));
    reserve(workspace.sums, at(n_tiles * panel_units * tile_chains));
    reserve(workspace.fields, at(panel_units * tile_chains));
    if (state_bytes > 0)
        for (Index tile = 0; tile < n_tiles; ++tile)
            kernels_->spread(inputs.words(tile), n_inputs_, workspace.states.data() + at(tile) * state_bytes);
    SumTask task;
    task.weights = {packed_.data(), n_inputs_, n_outputs(), n_limbs_};
    task.states = state_bytes > 0 ? static_cast<const void*>(workspace.states.data()) : inputs.words(0);
    task.n_tiles = n_tiles;
    task.sums = workspace.sums.data();
    task.scratch = workspace.scratch.data();
    return task;
}

void sum_on(const Kernels& kernels, const BinaryUnits& units, Index tile, const float* values, bool by_lane,
            double (&sums)[tile_chains]) {
    std::fill_n(sums, tile_chains, 0.0);
    for (Index first = 0; first < units.n_units(); first += panel_units) {
        alignas(64) float part[tile_chains];
        kernels.sum_on(units.words(tile) + first / word_units * tile_chains,
                       values + first * (by_lane ? tile_chains : 1), by_lane,
                       std::min(panel_units, units.n_units() - first), part);
        for (Index lane = 0; lane < tile_chains; ++lane)
            sums[lane] += static_cast<double>(part[lane]);
    }
}

DrawStreams draw_streams(const model::BlockStreams& streams, random::Purpose purpose, Index tile) {
    DrawStreams result{};
    for (Index lane = 0; lane < tile_chains; ++lane) {
        const random::Address address = streams.at(purpose, tile * tile_chains + lane);
        const auto counter = address.counter();
        result.seed[0] = static_cast<std::uint32_t>(address.seed.value);
        result.seed[1] = static_cast<std::uint32_t>(address.seed.value >> 32);
        result.by_ars = address.seed.generator == random::Generator::ars;
        result.step = counter[1];
        result.id[lane] = counter[2];
        result.purpose_and_id[lane] = counter[3];
    }
    return result;
}

void draw_independent(const Kernels& kernels, std::span<const float> x, random::Purpose purpose,
                      const model::BlockStreams& streams, BinaryUnits& units) {
    PEARLITE_EXPECTS(std::ssize(x) == units.n_units());
    alignas(64) float fields[panel_units * tile_chains], factors[tile_chains];
    for (Index tile = 0; tile < units.n_tiles(); ++tile) {
        auto addresses = draw_streams(streams, purpose, tile);
        for (Index first = 0; first < units.n_units(); first += panel_units) {
            const Index n = std::min(panel_units, units.n_units() - first);
            for (Index i = 0; i < n; ++i)
                std::fill_n(fields + i * tile_chains, tile_chains, x[at(first + i)]);
            addresses.first_unit = static_cast<std::uint32_t>(first);
            kernels.draw({fields, n, exponent_scale(1), &addresses,
                          units.words(tile) + first / word_units * tile_chains, factors});
        }
    }
}

float exponent_scale(double b) {
    return static_cast<float>(-b * std::numbers::log2e);
}

} // namespace pearlite::models
