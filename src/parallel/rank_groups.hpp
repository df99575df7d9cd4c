#pragma once
/// Replicates are first dealt to groups of ranks: the ranks of a replicate communicate within their group alone.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <algorithm>

namespace pearlite::parallel {

/// min(R, ranks) groups of neighbouring ranks, whose sizes differ by at most one; each has a contiguous run of the R
/// replicates, and the runs' lengths differ by at most one. With fewer replicates than ranks a group has one replicate.
class RankGroups {
  public:
    /// Collective.
    RankGroups(const Communicator& ranks, Index replicates)
        : size_(ranks.size()),
          groups_(static_cast<int>(std::min<Index>(replicates, ranks.size()))),
          group_(group_of(ranks.rank())),
          team_(groups_ == size_ ? Communicator::alone()
                : groups_ == 1   ? ranks
                                 : ranks.split(group_)),
          owned_(replicates, 1, groups_, group_) {}

    int groups() const { return groups_; }
    /// The ranks of this rank's group.
    const Communicator& team() const { return team_; }
    /// Replicates among groups.
    const BlockLayout& owned() const { return owned_; }
    bool has(Index replicate) const { return owned_.owner_of_item(replicate) == group_; }
    /// The first rank of the group that has the replicate.
    int root_of(Index replicate) const {
        const Index group = owned_.owner_of_item(replicate);
        return static_cast<int>((group * size_ + groups_ - 1) / groups_);
    }

  private:
    int group_of(int rank) const { return static_cast<int>(static_cast<Index>(rank) * groups_ / size_); }

    int size_, groups_, group_;
    Communicator team_;
    BlockLayout owned_;
};

} // namespace pearlite::parallel
