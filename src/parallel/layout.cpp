#include "parallel/layout.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pearlite::parallel {

BlockLayout::BlockLayout(Index size, Index block, int ranks, int rank)
    : size_(size), block_(block), ranks_(ranks), rank_(rank) {
    PEARLITE_EXPECTS(size >= 0 && block >= 1);
    PEARLITE_EXPECTS(rank >= 0 && rank < ranks);
    find_local_items();
}

BlockLayout BlockLayout::with_runs(std::vector<Index> first_blocks) const {
    PEARLITE_EXPECTS(first_blocks.size() == static_cast<std::size_t>(ranks_) + 1 && first_blocks.front() == 0 &&
                     first_blocks.back() == blocks() && std::is_sorted(first_blocks.begin(), first_blocks.end()));
    BlockLayout other = *this;
    other.first_blocks_ = std::move(first_blocks);
    other.find_local_items();
    return other;
}

void BlockLayout::find_local_items() {
    first_local_item_ = first_item(rank_);
    local_items_ = first_item(rank_ + 1) - first_local_item_;
}

Index BlockLayout::block_size(Index b) const {
    PEARLITE_EXPECTS(b >= 0 && b < blocks());
    return std::min(block_, size_ - b * block_);
}

Index BlockLayout::first_block(int rank) const {
    PEARLITE_EXPECTS(rank >= 0 && rank <= ranks_);
    if (!first_blocks_.empty())
        return first_blocks_[static_cast<std::size_t>(rank)];
    return blocks() / ranks_ * rank + std::min<Index>(rank, blocks() % ranks_); // the first ranks have one more
}

Index BlockLayout::first_item(int rank) const {
    return std::min(first_block(rank) * block_, size_);
}

int BlockLayout::owner_of_block(Index b) const {
    PEARLITE_EXPECTS(b >= 0 && b < blocks());
    if (!first_blocks_.empty()) // the last of the runs that begin at b or before: those without blocks come first
        return static_cast<int>(std::upper_bound(first_blocks_.begin(), first_blocks_.end(), b) -
                                first_blocks_.begin()) -
               1;
    const Index run = blocks() / ranks_;
    const Index longer_runs = blocks() % ranks_;
    const Index in_longer_runs = longer_runs * (run + 1);
    return static_cast<int>(b < in_longer_runs ? b / (run + 1) : longer_runs + (b - in_longer_runs) / run);
}

namespace {

/// Fills one run after another up to `most`; the last run takes the rest. ends[b]: the cost of all blocks
/// before b + 1.
std::vector<Index> filled_runs(std::span<const double> ends, std::size_t ranks, double most) {
    std::vector<Index> first_blocks{0};
    double before = 0;
    while (first_blocks.size() < ranks) {
        const auto first = ends.begin() + first_blocks.back();
        const auto end = std::upper_bound(first, ends.end(), before + most);
        first_blocks.push_back(end - ends.begin());
        before = end == ends.begin() ? 0 : *(end - 1);
    }
    first_blocks.push_back(static_cast<Index>(ends.size()));
    return first_blocks;
}

} // namespace

std::vector<Index> balanced_runs(std::span<const double> costs, int ranks) {
    PEARLITE_EXPECTS(ranks >= 1);
    const auto n_ranks = static_cast<std::size_t>(ranks);
    std::vector<double> ends;
    double total = 0, largest = 0;
    for (const double cost : costs) {
        PEARLITE_EXPECTS(cost >= 0 && std::isfinite(cost));
        ends.push_back(total += cost);
        largest = std::max(largest, cost);
    }
    const auto is_enough = [&](double most) {
        const Index last = filled_runs(ends, n_ranks, most)[n_ranks - 1];
        return total - (last == 0 ? 0 : ends[static_cast<std::size_t>(last) - 1]) <= most;
    };
    // No run is below the mean, nor below its dearest block; filling up to the sum of both always is enough.
    double low = std::max(total / ranks, largest), high = total / ranks + largest;
    if (is_enough(low))
        return filled_runs(ends, n_ranks, low);
    while (high - low > 1e-6 * high) {
        const double middle = 0.5 * (low + high);
        (is_enough(middle) ? high : low) = middle;
    }
    return filled_runs(ends, n_ranks, high);
}

} // namespace pearlite::parallel
