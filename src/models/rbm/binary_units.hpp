#pragma once
/// The states of a layer of a group of chains, a bit a unit, as the kernels read and write them.

#include "models/rbm/kernels/weights.hpp"

#include <cstddef>
#include <span>

namespace pearlite::models {

class BinaryUnits {
  public:
    using FloatMatrix = Eigen::MatrixXf;

    /// All off.
    BinaryUnits(Index n_units, Index n_chains);

    Index n_units() const { return n_units_; }
    Index n_chains() const { return n_chains_; }
    /// Tiles of sixteen chains.
    Index n_tiles() const { return padded(n_chains_) / rbm_kernels::tile_chains; }
    /// ceil(n_units / 8): unit i is bit i mod 8 of byte i / 8.
    std::size_t packed_bytes() const { return static_cast<std::size_t>((n_units_ + 7) / 8); }
    void pack(Index chain, std::span<std::byte> out) const;
    void unpack(Index chain, std::span<const std::byte> in);
    void set(Index unit, Index chain, bool is_on);
    bool get(Index unit, Index chain) const { return (words_[word_of(unit, chain)] >> (unit % 32) & 1) != 0; }
    void swap(Index chain, BinaryUnits& other);

    /// [word][lane] of 32 units each, of a tile; all tiles follow each other.
    std::uint32_t* words(Index tile) { return words_.data() + tile * n_words_ * rbm_kernels::tile_chains; }
    const std::uint32_t* words(Index tile) const { return words_.data() + tile * n_words_ * rbm_kernels::tile_chains; }

    /// 0 or 1; padded n_units x padded n_chains, padding is zero.
    FloatMatrix matrix() const;

  private:
    std::size_t word_of(Index unit, Index chain) const {
        constexpr Index tile_chains = rbm_kernels::tile_chains;
        return at((chain / tile_chains * n_words_ + unit / 32) * tile_chains + chain % tile_chains);
    }

    Index n_units_, n_chains_;
    Index n_words_; ///< of a chain
    rbm_kernels::Aligned<std::uint32_t> words_;
};

} // namespace pearlite::models
