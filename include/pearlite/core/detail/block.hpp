#pragma once
/// Blocks of particles: the unit of storage, vector work, exchange and virtual dispatch. A block's memory layout
/// belongs to its model; everybody else moves particles only through pack and unpack.

#include "pearlite/core/types.hpp"

#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

namespace pearlite {

/// A group of particles that is stored, moved and owned together, as a model writes it.
///   size()            particles in it (logical size); slots are 0 .. size()-1
///   padded_size()     size rounded up to whole vector packets; padding is never packed, weighed or digested
///   packed_bytes()    bytes of one packed particle, the same for all particles of a model
///   pack(slot, out)   writes exactly packed_bytes() portable (little-endian) bytes
///   unpack(slot, in)  the inverse, bit for bit; derived quantities are recomputed afterwards by the model's `prepare`
template <class B>
concept ParticleBlock = requires(const B& block, B& mutable_block, Index slot, std::span<std::byte> out,
                                 std::span<const std::byte> in) {
    { block.size() } -> std::convertible_to<Index>;
    { block.padded_size() } -> std::convertible_to<Index>;
    { block.packed_bytes() } -> std::convertible_to<std::size_t>;
    block.pack(slot, out);
    mutable_block.unpack(slot, in);
};

/// A block as populations, algorithms and kernels see it.
class Block {
  public:
    virtual ~Block() = default;
    virtual Index size() const = 0;
    virtual Index padded_size() const = 0;
    virtual std::size_t packed_bytes() const = 0;
    virtual void pack(Index slot, std::span<std::byte> out) const = 0;
    virtual void unpack(Index slot, std::span<const std::byte> in) = 0;

  protected:
    Block() = default;
    Block(const Block&) = default;
    Block(Block&&) = default;
    Block& operator=(const Block&) = default;
    Block& operator=(Block&&) = default;
};

/// A model's block behind that interface.
template <ParticleBlock B>
class BlockOf final : public Block {
  public:
    explicit BlockOf(B block) : block_(std::move(block)) {}

    B& own() { return block_; }
    const B& own() const { return block_; }

    Index size() const override { return block_.size(); }
    Index padded_size() const override { return block_.padded_size(); }
    std::size_t packed_bytes() const override { return block_.packed_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const override { block_.pack(slot, out); }
    void unpack(Index slot, std::span<const std::byte> in) override { block_.unpack(slot, in); }

  private:
    B block_;
};

/// The model's block in a block that its target has made.
template <ParticleBlock B>
B& own_block(Block& block) {
    if constexpr (std::derived_from<B, Block>)
        return static_cast<B&>(block);
    else
        return static_cast<BlockOf<B>&>(block).own();
}
template <ParticleBlock B>
const B& own_block(const Block& block) {
    if constexpr (std::derived_from<B, Block>)
        return static_cast<const B&>(block);
    else
        return static_cast<const BlockOf<B>&>(block).own();
}

} // namespace pearlite
