#include "pearlite/parallel/layout.hpp"

#include "pearlite/core/contract.hpp"

#include <algorithm>

namespace pearlite::parallel {

BlockLayout::BlockLayout(Index size, Index block, int ranks, int rank)
    : size_(size), block_(block), ranks_(ranks), rank_(rank) {
    PEARLITE_EXPECTS(size >= 0 && block >= 1);
    PEARLITE_EXPECTS(rank >= 0 && rank < ranks);
    first_local_item_ = first_item(rank);
    local_items_ = first_item(rank + 1) - first_local_item_;
}

Index BlockLayout::block_size(Index b) const {
    PEARLITE_EXPECTS(b >= 0 && b < blocks());
    return std::min(block_, size_ - b * block_);
}

Index BlockLayout::first_block(int rank) const {
    PEARLITE_EXPECTS(rank >= 0 && rank <= ranks_);
    return blocks() / ranks_ * rank + std::min<Index>(rank, blocks() % ranks_); // the first ranks have one more
}

Index BlockLayout::first_item(int rank) const {
    return std::min(first_block(rank) * block_, size_);
}

int BlockLayout::owner_of_block(Index b) const {
    PEARLITE_EXPECTS(b >= 0 && b < blocks());
    const Index run = blocks() / ranks_;
    const Index longer_runs = blocks() % ranks_;
    const Index in_longer_runs = longer_runs * (run + 1);
    return static_cast<int>(b < in_longer_runs ? b / (run + 1) : longer_runs + (b - in_longer_runs) / run);
}

} // namespace pearlite::parallel
