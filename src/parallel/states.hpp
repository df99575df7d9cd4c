#pragma once
/// States that list their fields, between ranks, and groups of ranks that share replicates.

#include "core/stored_fields.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace pearlite::parallel {

/// Collective. The states of the ranks that speak, in the order of ranks, on the root; elsewhere none.
template <class State>
std::vector<State> gather_states(const Communicator& ranks, bool speaks, std::vector<State>& mine) {
    std::vector<std::byte> bytes;
    for (auto& state : mine)
        if (speaks)
            append_piece(bytes, store(state).values);
    const auto all = ranks.gather(std::span<const std::byte>(bytes));
    std::vector<State> states;
    for (std::span<const std::byte> rest(all); !rest.empty();) {
        const auto values = take_piece(rest);
        restore(states.emplace_back(), {{values.begin(), values.end()}, {}});
    }
    return states;
}

/// Collective. Rank `root`'s state on all ranks; without its sharded fields.
template <class State>
void broadcast_state(const Communicator& ranks, State& state, int root) {
    std::string text;
    if (ranks.rank() == root) {
        const auto values = store(state).values;
        text.assign(reinterpret_cast<const char*>(values.data()), values.size());
    }
    text = ranks.broadcast(text, root);
    const auto values = std::as_bytes(std::span(text));
    if (ranks.rank() != root)
        restore(state, {{values.begin(), values.end()}, {}});
}

// Replicates are first dealt to groups of ranks: the ranks of a replicate communicate within their group alone.

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
