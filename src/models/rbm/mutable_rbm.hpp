#pragma once
/// An RBM whose parameters change often: weights and biases in single precision, chains of both layers, and counts of
/// the chains in which a visible and a hidden unit are both on.
///
///     p(v, h) = exp(v'W h + a'v + d'h)/Z,  s(v, h) = (v h', v, h)
///
/// Chains move by weights that are rounded to integers of 23 bits with one unit for all of them, the same in both
/// directions, so that products are exact sums on any CPU.

#include "models/rbm/layer.hpp"
#include "pearlite/core/detail/block.hpp"

#include <span>

namespace pearlite::models {

/// States of a group of chains, or examples with their hidden units.
class RbmStates final : public Block {
  public:
    RbmStates(Index n_visible, Index n_hidden, Index size);

    Index size() const override { return visible_.n_chains(); }
    Index padded_size() const override { return padded(size()); }
    /// Visible units, then hidden ones: ceil(n_visible / 8) + ceil(n_hidden / 8).
    std::size_t packed_bytes() const override { return visible_.packed_bytes() + hidden_.packed_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const override;
    void unpack(Index slot, std::span<const std::byte> in) override;

    BinaryUnits& visible() { return visible_; }
    const BinaryUnits& visible() const { return visible_; }
    BinaryUnits& hidden() { return hidden_; }
    const BinaryUnits& hidden() const { return hidden_; }

  private:
    friend class MutableRbm;

    BinaryUnits visible_, hidden_;
    LayerWorkspace work_;
};

class MutableRbm {
  public:
    using Floats = rbm_kernels::Aligned<float>;

    /// All parameters 0.
    MutableRbm(Index n_visible, Index n_hidden, simd::Path path = simd::chosen_path().path);

    Index n_visible() const { return std::ssize(visible_bias); }
    Index n_hidden() const { return std::ssize(hidden_bias); }
    /// Stride of the rows of weights, and of counts: the hidden units and one more, padded.
    Index stride() const { return stride_; }
    Index n_counts() const { return (n_visible() + 1) * stride_; }
    /// The count of a pair; row n_visible() has the counts of hidden units, column n_hidden() those of visible ones.
    Index place(Index visible, Index hidden) const { return visible * stride_ + hidden; }
    const rbm_kernels::Kernels& kernels() const { return *kernels_; }
    const Layer& to_hidden() const { return to_hidden_; }
    const Layer& to_visible() const { return to_visible_; }

    /// After any change of the parameters: rounds the weights for the layers. False if a parameter is not finite.
    bool round();

    /// h | v
    void draw_hidden(RbmStates& states, const model::BlockStreams& streams) const;
    /// v | h, then h | v
    void sweep(RbmStates& states, const model::BlockStreams& streams) const;
    /// counts = factor_a sum of s over a + factor_b sum of s over b; n_counts() of them, none of which may leave 16
    /// bits where these have no more. Not for two threads.
    void count(const RbmStates& a, std::int32_t factor_a, const RbmStates& b, std::int32_t factor_b,
               std::span<std::int32_t> counts) const;
    void count(const RbmStates& a, std::int32_t factor_a, const RbmStates& b, std::int32_t factor_b,
               std::span<std::int16_t> counts) const;

    /// Units of one layer given the other.
    void draw(const Layer& layer, const BinaryUnits& from, BinaryUnits& to, const Floats& bias, random::Purpose purpose,
              const model::BlockStreams& streams, LayerWorkspace& work) const {
        draw(layer, from, to, bias, purpose, streams, work, [](auto&&...) {});
    }
    /// The same; calls use(tile, n, x, factors) with the fields of each panel and the product of 1 + exp(-|x|) by lane.
    template <class Use>
    void draw(const Layer& layer, const BinaryUnits& from, BinaryUnits& to, const Floats& bias, random::Purpose purpose,
              const model::BlockStreams& streams, LayerWorkspace& work, Use use) const {
        using namespace rbm_kernels;
        if (from.n_chains() == 0)
            return;
        Aligned<DrawStreams> addresses(at(from.n_tiles()));
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

    Floats weights; ///< a row of stride() for each visible unit; 0 beyond the units, padded n_visible rows
    Floats visible_bias, hidden_bias;

  private:
    using Planes = rbm_kernels::Aligned<std::uint16_t>;
    /// Visible units as rows, hidden ones as columns, each with a unit that is always on.
    struct PlanesOfBlock {
        Planes rows, columns;
    };
    rbm_kernels::PairTask pairs_of(const RbmStates& a, std::int32_t factor_a, const RbmStates& b,
                                   std::int32_t factor_b) const;
    rbm_kernels::PairPlanes planes_of(const RbmStates& states, std::int32_t factor, PlanesOfBlock& memory) const;

    const rbm_kernels::Kernels* kernels_;
    Index stride_;
    Layer to_hidden_, to_visible_;
    // Memory of count(): planes of both blocks, and a row of counts.
    mutable PlanesOfBlock planes_[2];
    mutable std::vector<std::int32_t> row_;
};

} // namespace pearlite::models
