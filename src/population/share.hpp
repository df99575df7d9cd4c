#pragma once
/// A rank's share of a population that other ranks may hold: replicates of a run belong to groups of ranks, their
/// results to all ranks.

#include "parallel/communicator.hpp"
#include "population/population.hpp"

#include <vector>

namespace pearlite::population {

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
