#pragma once
/// States at the end of a path that a sampler has recorded while it ran, one chain of them for each of its systems.

#include "core/sharded_field.hpp"
#include "parallel/layout.hpp"
#include "pearlite/core/detail/block.hpp"
#include "population/generation.hpp"

#include <cstddef>
#include <vector>

namespace pearlite::algorithm {

/// The states of the last block of a generation, R of them, at every so many scans: as many as `most_bytes` hold, but
/// eight of a chain at least. The rank that owns the block holds all of them.
class RecordedDraws {
  public:
    RecordedDraws(const population::Generation& states, std::size_t particle_bytes, Index scans,
                  std::size_t most_bytes);

    /// Records the states after scan n = 1, 2, ..., if its turn has come.
    void record(const population::Generation& states, Index n);

    Index draws_per_chain() const { return draws_; }
    /// The number of chains that this rank holds: all or none.
    Index chains_here() const { return chains_here_; }
    Index chains() const { return chains_; }
    /// Copies a state into a slot of a block.
    void unpack(Index chain, Index draw, Block& block, Index slot) const;

    /// For a checkpoint: an item is a chain.
    ShardedField field();

  private:
    std::size_t place(Index chain, Index draw) const {
        return static_cast<std::size_t>(chain * draws_ + draw) * particle_bytes_;
    }

    std::size_t particle_bytes_;
    Index chains_, chains_here_, thin_, draws_;
    bool is_after_; ///< whether this rank comes after the one that holds the chains
    std::vector<std::byte> states_;
};

} // namespace pearlite::algorithm
