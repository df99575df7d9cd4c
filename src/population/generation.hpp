#pragma once
/// A generation: particles of one kind in global blocks, whole blocks on each rank, with log weights and Eves.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"
#include "pearlite/core/detail/block.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace pearlite::population {

/// Makes an empty block of `size` particles.
using MakeBlock = std::function<std::unique_ptr<Block>(Index size)>;

/// The local part of a generation. Local slots are 0 .. layout().local_items()-1; adding layout().first_local_item()
/// gives the global slot, by which everything random is addressed. `number` is the generation's place in its
/// population.
class Generation {
  public:
    /// Log weights start at 0, every particle is its own Eve.
    Generation(const parallel::BlockLayout& layout, Index number, const MakeBlock& make_block);

    const parallel::BlockLayout& layout() const { return layout_; }
    Index number() const { return number_; }
    /// Particles on all ranks.
    Index size() const { return layout_.size(); }
    Index local_size() const { return layout_.local_items(); }
    Index local_blocks() const { return layout_.local_blocks(); }

    Block& block(Index b) { return *blocks_[static_cast<std::size_t>(b)]; }
    const Block& block(Index b) const { return *blocks_[static_cast<std::size_t>(b)]; }
    /// Takes local block b out, which must be put nowhere else in this generation.
    std::unique_ptr<Block> release(Index b) { return std::move(blocks_[static_cast<std::size_t>(b)]); }
    /// Local slot of local block b's first particle.
    Index block_begin(Index b) const { return b * layout_.block(); }
    /// Particles in local block b.
    Index block_size(Index b) const { return layout_.block_size(layout_.first_local_block() + b); }
    /// The part of a local per-particle array (log weights, increments ...) that belongs to local block b.
    template <class T>
    std::span<T> of_block(std::vector<T>& values, Index b) const {
        return std::span<T>(values).subspan(static_cast<std::size_t>(block_begin(b)),
                                            static_cast<std::size_t>(block_size(b)));
    }
    template <class T>
    std::span<const T> of_block(const std::vector<T>& values, Index b) const {
        return std::span<const T>(values).subspan(static_cast<std::size_t>(block_begin(b)),
                                                  static_cast<std::size_t>(block_size(b)));
    }

    std::vector<double>& log_weights() { return log_weights_; }
    const std::vector<double>& log_weights() const { return log_weights_; }
    /// Global slot of each particle's ancestor at the start (Lee & Whiteley 2018).
    std::vector<std::int64_t>& eves() { return eves_; }
    const std::vector<std::int64_t>& eves() const { return eves_; }

    void pack(Index local_slot, std::span<std::byte> out) const {
        block(local_slot / layout_.block()).pack(local_slot % layout_.block(), out);
    }
    void unpack(Index local_slot, std::span<const std::byte> in) {
        block(local_slot / layout_.block()).unpack(local_slot % layout_.block(), in);
    }

    /// Views for files and digests. The bytes of a packed particle are passed in, because a rank may hold none.
    ShardedField particles_field(std::size_t particle_bytes);
    ShardedField log_weights_field() { return array_field(log_weights_, ItemType::float64); }
    ShardedField eves_field() { return array_field(eves_, ItemType::int64); }

    /// Any per-particle array of 8-byte numbers as a field.
    template <class T>
    ShardedField array_field(std::vector<T>& values, ItemType type) const {
        static_assert(sizeof(T) == 8);
        PEARLITE_EXPECTS(static_cast<Index>(values.size()) == local_size());
        return bytes_field(std::as_writable_bytes(std::span<T>(values)), sizeof(T), type);
    }

  private:
    /// `item_bytes` for each local particle, at `values`.
    ShardedField bytes_field(std::span<std::byte> values, std::size_t item_bytes, ItemType type) const;

    parallel::BlockLayout layout_;
    Index number_;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<double> log_weights_;
    std::vector<std::int64_t> eves_;
};

/// Collective. Gives every block to the rank that owns it under `layout`, which has the generation's blocks; blocks
/// that stay are not touched. prepare(block) recomputes the data derived from the states of a block that has arrived.
/// `particle_bytes` is the size of a packed particle.
void deal(const parallel::Communicator& ranks, Generation& generation, const parallel::BlockLayout& layout,
          std::size_t particle_bytes, const MakeBlock& make_block, const std::function<void(Block&)>& prepare);

} // namespace pearlite::population
