#pragma once
/// Numbers that the ranks hold together, and sums over them that do not depend on their distribution among ranks;
/// particles of a group of ranks as all ranks see them.

#include "population/population.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace pearlite::population {

/// A number of each item of a layout (log weights, works), of which this rank has the numbers of its items in slot
/// order.
struct Shards {
    parallel::Communicator ranks;
    parallel::BlockLayout layout;
    std::span<const double> here;

    Shards(const parallel::Communicator& communicator, const parallel::BlockLayout& cut, std::span<const double> mine)
        : ranks(communicator), layout(cut), here(mine) {
        PEARLITE_EXPECTS(static_cast<Index>(here.size()) == layout.local_items());
    }
    /// The number of items on all ranks.
    Index size() const { return layout.size(); }
    /// The slot of here[i].
    Index slot(std::size_t i) const { return layout.first_local_item() + static_cast<Index>(i); }
    /// Collective. Whether every number, on any rank, passes.
    template <class Passes>
    bool all(Passes&& passes) const {
        return ranks.sum(std::ranges::all_of(here, passes) ? Index{0} : Index{1}) == 0;
    }
};

/// A field of the items' numbers, for writing: number(i) of local item i.
template <class Number>
ShardedField field_of(const parallel::BlockLayout& layout, Number number) {
    ShardedField field{
        ItemType::float64, sizeof(double), layout.size(), layout.first_local_item(), layout.local_items(), {}, {}};
    field.pack = [number](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i) {
            const double value = number(static_cast<std::size_t>(first + i));
            std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(value), &value, sizeof(value));
        }
    };
    return field;
}

/// A field of items that are contiguous in memory: all `items`, of which `here` are this rank's, the first of them
/// number `first_local`.
inline ShardedField field_of_items(ItemType type, std::size_t item_bytes, Index items, Index first_local,
                                   std::span<std::byte> here) {
    const auto local = static_cast<Index>(here.size() / item_bytes);
    ShardedField field{type, item_bytes, items, first_local, local, {}, {}};
    const auto bytes = [here, item_bytes](Index first, Index count) {
        return here.subspan(static_cast<std::size_t>(first) * item_bytes, static_cast<std::size_t>(count) * item_bytes);
    };
    field.pack = [bytes](Index first, Index count, std::span<std::byte> out) {
        std::ranges::copy(bytes(first, count), out.begin());
    };
    field.unpack = [bytes](Index first, Index count, std::span<const std::byte> in) {
        std::ranges::copy(in, bytes(first, count).begin());
    };
    return field;
}

/// Adds n sums over the local items of `layout`: terms(i) returns the n terms of local item i, as std::array<double,
/// n>. Within a block they are added in slot order, the blocks' sums exactly; `sums.total` then gives the same bits on
/// any number of ranks.
template <std::size_t n, class Terms>
void add_blocks(BlockSums& sums, const parallel::BlockLayout& layout, Terms&& terms) {
    for (Index first = 0; first < layout.local_items(); first += layout.block()) {
        const Index end = std::min(first + layout.block(), layout.local_items());
        std::array<double, n> partial{};
        for (Index i = first; i < end; ++i) {
            const std::array<double, n> term = terms(static_cast<std::size_t>(i));
            for (std::size_t k = 0; k < n; ++k)
                partial[k] += term[k];
        }
        for (std::size_t k = 0; k < n; ++k)
            sums.add(k, partial[k]);
    }
}

/// Collective. Sums of n functions of the numbers: terms(x) returns them as std::array<double, n>.
template <std::size_t n, class Terms>
std::array<double, n> sums_over(const Shards& shards, Terms&& terms) {
    BlockSums sums(n);
    add_blocks<n>(sums, shards.layout, [&](std::size_t i) { return terms(shards.here[i]); });
    const auto total = sums.total(shards.ranks);
    std::array<double, n> result{};
    std::ranges::copy(total, result.begin());
    return result;
}

// Chains that the ranks hold in one block each, as a field of a checkpoint.

/// `block`: this rank's items of the layout.
inline void list_block(Fields& f, const char* name, Block& block, const parallel::BlockLayout& layout) {
    const std::size_t bytes = block.packed_bytes();
    ShardedField field{ItemType::bytes, bytes, layout.size(), layout.first_local_item(), layout.local_items(), {}, {}};
    field.pack = [&block, bytes](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i)
            block.pack(first + i, out.subspan(at(i) * bytes, bytes));
    };
    field.unpack = [&block, bytes](Index first, Index count, std::span<const std::byte> in) {
        for (Index i = 0; i < count; ++i)
            block.unpack(first + i, in.subspan(at(i) * bytes, bytes));
    };
    f.sharded(name, field);
}

// A rank's share of a population that other ranks may hold: replicates of a run belong to groups of ranks, their
// results to all ranks.

/// A generation for the collective calls of all ranks. The ranks of a group hold its items, neighbours in the order of
/// the slots; other ranks have an empty share, and take part in collective calls of all ranks.
class Share {
  public:
    /// `here`: the generation if this rank holds some of it, else null. `layout`: its blocks among all ranks.
    Share(Generation* here, parallel::BlockLayout layout, std::size_t particle_bytes)
        : here_(here), layout_(std::move(layout)), particle_bytes_(particle_bytes) {}

    const parallel::BlockLayout& layout() const { return layout_; }
    Index size() const { return layout_.size(); }
    Index local_size() const { return layout_.local_items(); }
    Index local_blocks() const { return here_ ? here_->local_blocks() : 0; }
    /// Local blocks and slots, as in Generation.
    const Block& block(Index b) const { return here_->block(b); }
    Index block_begin(Index b) const { return here_->block_begin(b); }
    void pack(Index local_slot, std::span<std::byte> out) const { here_->pack(local_slot, out); }
    std::size_t particle_bytes() const { return particle_bytes_; }
    std::span<const double> log_weights() const {
        return here_ ? std::span<const double>(here_->log_weights()) : std::span<const double>();
    }
    /// Null if the rank has an empty share.
    const Generation* here() const { return here_; }

    /// Views for files and digests, for all ranks.
    ShardedField particles_field() const;
    ShardedField log_weights_field() const;

  private:
    Generation* here_;
    parallel::BlockLayout layout_;
    std::size_t particle_bytes_;
};

/// Collective. The generations of a population; `here` is null if the rank holds nothing of it.
std::vector<Share> shares_of(const parallel::Communicator& ranks, Population* here);

} // namespace pearlite::population
