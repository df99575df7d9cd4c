#include "models/rbm/mutable_rbm.hpp"

#include "models/rbm/weights_kernels.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"

#include <cmath>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;
using rbm_kernels::tile_chains;

namespace {

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

MutableRbm::MutableRbm(Index n_visible, Index n_hidden, simd::Path path)
    : weights(at(padded(n_visible) * padded(n_hidden + 1)), 0.0f),
      visible_bias(at(n_visible), 0.0f),
      hidden_bias(at(n_hidden), 0.0f),
      kernels_(&kernels_of(path)),
      stride_(padded(n_hidden + 1)),
      to_hidden_(n_hidden, n_visible, *kernels_),
      to_visible_(n_visible, n_hidden, *kernels_),
      row_(at(stride_)) {}

bool MutableRbm::round() {
    return simd::on_this_cpu([&](auto cpu) {
        using Cpu = decltype(cpu);
        const float largest = rbm_training::largest_magnitude<Cpu>(weights.data(), std::ssize(weights));
        for (const Floats* bias : {&visible_bias, &hidden_bias})
            if (!std::isfinite(rbm_training::largest_magnitude<Cpu>(bias->data(), std::ssize(*bias))))
                return false;
        if (!std::isfinite(largest))
            return false;
        const auto smallest = std::numeric_limits<float>::min();
        const auto scale = std::nextafter(
            std::max(static_cast<float>(static_cast<double>(largest) / largest_rounded(n_visible(), n_hidden())),
                     smallest),
            std::numeric_limits<float>::infinity());
        to_hidden_.set_scale(scale);
        to_visible_.set_scale(scale);
        rbm_training::pack_both<Cpu>({weights.data(), n_visible(), n_hidden(), stride_, scale, kernels_->format,
                                      to_visible_.packed(), to_hidden_.packed()});
        return true;
    });
}

void MutableRbm::draw_hidden(RbmStates& states, const BlockStreams& streams) const {
    draw(to_hidden_, states.visible_, states.hidden_, hidden_bias, Purpose::hidden_units, streams, states.work_);
}

void MutableRbm::sweep(RbmStates& states, const BlockStreams& streams) const {
    draw(to_visible_, states.hidden_, states.visible_, visible_bias, Purpose::visible_units, streams, states.work_);
    draw_hidden(states, streams);
}

rbm_kernels::PairPlanes MutableRbm::planes_of(const RbmStates& states, std::int32_t factor,
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
            kernels_->planes(states.hidden().words(half), n_hidden(), columns, 2);
        }
        for (Index i = 0; i < n_visible(); ++i)
            rows[i * 2 * n_words] &= used;
        rows[n_visible() * 2 * n_words] = used;
        columns[n_hidden() * 2] = 0xffff;
    }
    return {reinterpret_cast<const std::uint32_t*>(memory.rows.data()),
            reinterpret_cast<const std::uint32_t*>(memory.columns.data()), n_words, factor};
}

rbm_kernels::PairTask MutableRbm::pairs_of(const RbmStates& a, std::int32_t factor_a, const RbmStates& b,
                                           std::int32_t factor_b) const {
    return {{planes_of(a, factor_a, planes_[0]), planes_of(b, factor_b, planes_[1])}, n_visible() + 1, stride_};
}

void MutableRbm::count(const RbmStates& a, std::int32_t factor_a, const RbmStates& b, std::int32_t factor_b,
                       std::span<std::int32_t> counts) const {
    PEARLITE_EXPECTS(std::ssize(counts) == n_counts());
    auto task = pairs_of(a, factor_a, b, factor_b);
    task.counts = counts.data();
    kernels_->count_pairs(task);
}

void MutableRbm::count(const RbmStates& a, std::int32_t factor_a, const RbmStates& b, std::int32_t factor_b,
                       std::span<std::int16_t> counts) const {
    PEARLITE_EXPECTS(std::ssize(counts) == n_counts());
    auto task = pairs_of(a, factor_a, b, factor_b);
    task.counts = row_.data();
    std::int16_t* to = counts.data();
    for (Index row = std::exchange(task.n_rows, 1); row > 0; --row, to += stride_) {
        kernels_->count_pairs(task);
        std::transform(row_.begin(), row_.end(), to, [](std::int32_t n) { return static_cast<std::int16_t>(n); });
        for (auto& planes : task.planes)
            planes.rows += planes.n_words;
    }
}

} // namespace pearlite::models
