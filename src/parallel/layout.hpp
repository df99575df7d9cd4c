#pragma once
/// Which rank owns which blocks.

#include "pearlite/core/types.hpp"

#include <span>
#include <vector>

namespace pearlite::parallel {

/// `size` items cut into global blocks of `block` (the last may be shorter), dealt to the ranks in contiguous runs of
/// whole blocks. Blocks do not depend on the ranks; only their owners do.
class BlockLayout {
  public:
    BlockLayout() = default;
    /// Runs whose lengths differ by one at most. size >= 0, block >= 1, 0 <= rank < ranks.
    BlockLayout(Index size, Index block, int ranks, int rank);
    /// The same blocks in other runs: rank r owns those from first_blocks[r] up to first_blocks[r + 1], which ascend
    /// from 0 to blocks().
    BlockLayout with_runs(std::vector<Index> first_blocks) const;
    /// The same blocks in runs of equal length.
    BlockLayout with_equal_runs() const { return BlockLayout(size_, block_, ranks_, rank_); }

    Index size() const { return size_; }
    Index block() const { return block_; }
    Index blocks() const { return (size_ + block_ - 1) / block_; }
    /// Items in global block b.
    Index block_size(Index b) const;

    Index first_block(int rank) const;
    Index first_item(int rank) const; ///< also defined for rank == ranks: size()
    int owner_of_block(Index b) const;
    int owner_of_item(Index item) const { return owner_of_block(item / block_); }

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    Index first_local_block() const { return first_block(rank_); }
    Index local_blocks() const { return first_block(rank_ + 1) - first_block(rank_); }
    Index first_local_item() const { return first_local_item_; }
    Index local_items() const { return local_items_; }

  private:
    void find_local_items();

    Index size_ = 0;
    Index block_ = 1;
    int ranks_ = 1;
    int rank_ = 0;
    Index first_local_item_ = 0, local_items_ = 0; ///< asked for in every iteration of a search
    std::vector<Index> first_blocks_; ///< of each rank, and blocks() at the end; empty: runs of equal length
};

/// Cuts blocks of the given costs (>= 0, finite) into a contiguous run for each rank such that the dearest run is as
/// cheap as it can be, to a relative 1e-6. Returns each rank's first block, and costs.size() at the end.
std::vector<Index> balanced_runs(std::span<const double> costs, int ranks);

} // namespace pearlite::parallel
