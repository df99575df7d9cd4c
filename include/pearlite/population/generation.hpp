#pragma once
/// A generation: particles of one kind in global blocks, whole blocks on each rank, with log weights and Eves.

#include "pearlite/core/block.hpp"
#include "pearlite/core/contract.hpp"
#include "pearlite/core/sharded_field.hpp"
#include "pearlite/parallel/layout.hpp"

#include <cstring>
#include <numeric>
#include <vector>

namespace pearlite::population {

/// The local part of a generation. Local slots are 0 .. layout().local_items()-1; adding layout().first_local_item()
/// gives the global slot, by which everything random is addressed. `number` is the generation's place in its
/// population.
template <ParticleBlock B>
class Generation {
  public:
    using Block = B;

    /// make_block(size) returns an empty block of `size` particles. Log weights start at 0, every particle is its own
    /// Eve.
    template <class MakeBlock>
    Generation(const parallel::BlockLayout& layout, Index number, MakeBlock&& make_block)
        : layout_(layout),
          number_(number),
          log_weights_(static_cast<std::size_t>(layout.local_items()), 0.0),
          eves_(static_cast<std::size_t>(layout.local_items())) {
        blocks_.reserve(static_cast<std::size_t>(layout.local_blocks()));
        for (Index b = 0; b < layout.local_blocks(); ++b)
            blocks_.push_back(make_block(layout.block_size(layout.first_local_block() + b)));
        std::iota(eves_.begin(), eves_.end(), layout.first_local_item());
    }

    const parallel::BlockLayout& layout() const { return layout_; }
    Index number() const { return number_; }
    /// Particles on all ranks.
    Index size() const { return layout_.size(); }
    Index local_size() const { return layout_.local_items(); }
    Index local_blocks() const { return layout_.local_blocks(); }

    B& block(Index b) { return blocks_[static_cast<std::size_t>(b)]; }
    const B& block(Index b) const { return blocks_[static_cast<std::size_t>(b)]; }
    /// Local slot of local block b's first particle.
    Index block_begin(Index b) const { return b * layout_.block(); }
    /// The part of a local per-particle array (log weights, increments ...) that belongs to local block b.
    template <class T>
    std::span<T> of_block(std::vector<T>& values, Index b) const {
        return std::span<T>(values).subspan(static_cast<std::size_t>(block_begin(b)),
                                            static_cast<std::size_t>(block(b).size()));
    }
    template <class T>
    std::span<const T> of_block(const std::vector<T>& values, Index b) const {
        return std::span<const T>(values).subspan(static_cast<std::size_t>(block_begin(b)),
                                                  static_cast<std::size_t>(block(b).size()));
    }

    std::vector<double>& log_weights() { return log_weights_; }
    const std::vector<double>& log_weights() const { return log_weights_; }
    /// Global slot of each particle's ancestor at the start (Lee & Whiteley 2018).
    std::vector<std::int64_t>& eves() { return eves_; }
    const std::vector<std::int64_t>& eves() const { return eves_; }

    std::size_t packed_bytes() const { return blocks_.empty() ? 0 : blocks_.front().packed_bytes(); }
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
        const auto bytes_of = [&values](Index first, Index count) {
            return std::as_writable_bytes(
                std::span<T>(values).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        };
        ShardedField field{type, sizeof(T), size(), layout_.first_local_item(), local_size(), {}, {}};
        field.pack = [bytes_of](Index first, Index count, std::span<std::byte> out) {
            const auto bytes = bytes_of(first, count);
            std::copy(bytes.begin(), bytes.end(), out.begin());
        };
        field.unpack = [bytes_of](Index first, Index count, std::span<const std::byte> in) {
            const auto bytes = bytes_of(first, count);
            std::copy(in.begin(), in.end(), bytes.begin());
        };
        return field;
    }

  private:
    parallel::BlockLayout layout_;
    Index number_;
    std::vector<B> blocks_;
    std::vector<double> log_weights_;
    std::vector<std::int64_t> eves_;
};

template <ParticleBlock B>
ShardedField Generation<B>::particles_field(std::size_t particle_bytes) {
    ShardedField field{ItemType::bytes, particle_bytes, size(), layout_.first_local_item(), local_size(), {}, {}};
    field.pack = [this, particle_bytes](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i)
            pack(first + i, out.subspan(static_cast<std::size_t>(i) * particle_bytes, particle_bytes));
    };
    field.unpack = [this, particle_bytes](Index first, Index count, std::span<const std::byte> in) {
        for (Index i = 0; i < count; ++i)
            unpack(first + i, in.subspan(static_cast<std::size_t>(i) * particle_bytes, particle_bytes));
    };
    return field;
}

} // namespace pearlite::population
