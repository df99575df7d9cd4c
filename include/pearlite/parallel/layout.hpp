#pragma once
/// Which rank owns which blocks.

#include "pearlite/core/types.hpp"

namespace pearlite::parallel {

/// `size` items cut into global blocks of `block` (the last may be shorter), dealt to the ranks in contiguous runs of
/// whole blocks whose lengths differ by one at most. The blocks know nothing of ranks: only ownership does.
class BlockLayout {
  public:
    BlockLayout() = default;
    /// size >= 0, block >= 1, 0 <= rank < ranks.
    BlockLayout(Index size, Index block, int ranks, int rank);

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
    Index first_local_block() const { return first_block(rank_); }
    Index local_blocks() const { return first_block(rank_ + 1) - first_block(rank_); }
    Index first_local_item() const { return first_local_item_; }
    Index local_items() const { return local_items_; }

  private:
    Index size_ = 0;
    Index block_ = 1;
    int ranks_ = 1;
    int rank_ = 0;
    Index first_local_item_ = 0, local_items_ = 0; ///< asked for in every iteration of a search
};

} // namespace pearlite::parallel
