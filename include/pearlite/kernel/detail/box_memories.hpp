#pragma once
/// Chains in a box with their energy's memory of each chain.

#include "pearlite/kernel/detail/box_operations.hpp"
#include "pearlite/model/energy/local_moves.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::kernel {

/// A memory is behind its chain after any change but an accepted local move.
template <class Memory>
class RememberingChains : public BoxChains {
  public:
    RememberingChains(Index dimension, Index size)
        : BoxChains(dimension, size),
          memories_(static_cast<std::size_t>(size)),
          is_behind_(static_cast<std::size_t>(size), 1) {}

    model::LaneMatrix& points() {
        forget();
        return BoxChains::points();
    }
    const model::LaneMatrix& points() const { return BoxChains::points(); }
    void unpack(Index slot, std::span<const std::byte> in) {
        BoxChains::unpack(slot, in);
        is_behind_[static_cast<std::size_t>(slot)] = 1;
    }
    void copy(const BoxChains& from, std::span<const Index> source) {
        BoxChains::copy(from, source);
        forget();
    }
    void forget() {
        std::fill(is_behind_.begin(), is_behind_.end(), std::uint8_t{1});
        is_local_ = follows_local_ = false;
    }

    /// Whether the last operation was one that uses memories.
    bool follows_local() const { return follows_local_; }
    void note_local(bool is_local) { follows_local_ = is_local; }

    /// The memories for a local move of all chains; remember(wanted, memories) makes the memories that are behind anew.
    template <class Remember>
    std::span<Memory> remembered(Remember remember) {
        if (std::find(is_behind_.begin(), is_behind_.end(), 1) != is_behind_.end())
            remember(std::span<const std::uint8_t>(is_behind_), std::span(memories_));
        std::fill(is_behind_.begin(), is_behind_.end(), std::uint8_t{0});
        is_local_ = true;
        return memories_;
    }
    /// Called after an acceptance.
    template <class Take>
    void update_memories(std::span<const std::uint8_t> accepted, Take take) {
        for (std::size_t i = 0; i < memories_.size(); ++i) {
            if (accepted[i] == 0)
                continue;
            if (is_local_)
                take(memories_[i]);
            else
                is_behind_[i] = 1;
        }
        is_local_ = false;
    }
    /// In its place where proposals have changed since the memories were asked for.
    void leave_memories(std::span<const std::uint8_t> accepted) {
        for (std::size_t i = 0; i < memories_.size(); ++i)
            is_behind_[i] |= accepted[i] != 0 ? 1 : 0;
        is_local_ = false;
    }

  private:
    std::vector<Memory> memories_;
    std::vector<std::uint8_t> is_behind_;
    bool is_local_ = false;      ///< the proposals under way
    bool follows_local_ = false; ///< the last operation
};

/// The chains of an energy on a box.
template <class E>
struct ChainsOf {
    using type = BoxChains;
};
template <model::HasLocalMoves E>
struct ChainsOf<E> {
    using type = RememberingChains<typename E::Memory>;
};

} // namespace pearlite::kernel
