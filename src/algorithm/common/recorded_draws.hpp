#pragma once
/// States at the end of a path that a sampler has recorded while it ran, one chain of them for each of its systems.

#include "population/shards.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The states of the last block of a generation, R of them, recorded at a fixed interval of scans: as many scans as fit
/// in `most_bytes`, but at least eight. The rank that owns the block holds all of them.
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

    static constexpr Index least_draws = 8; ///< of a chain, if there are as many scans
    /// The number of scans from one record to the next.
    static Index thinning(Index scans, std::size_t bytes_of_a_scan, std::size_t most_bytes) {
        const auto affordable = static_cast<Index>(most_bytes / std::max<std::size_t>(bytes_of_a_scan, 1));
        const Index most = std::clamp<Index>(affordable, std::min(least_draws, scans), scans);
        return scans / most + (scans % most != 0 ? 1 : 0);
    }

    std::size_t particle_bytes_;
    Index chains_, chains_here_, thin_, draws_;
    bool is_after_; ///< whether this rank comes after the one that holds the chains
    std::vector<std::byte> states_;
};

inline RecordedDraws::RecordedDraws(const population::Generation& states, std::size_t particle_bytes, Index scans,
                                    std::size_t most_bytes)
    : particle_bytes_(particle_bytes),
      chains_(states.layout().block()),
      thin_(thinning(scans, static_cast<std::size_t>(chains_) * particle_bytes, most_bytes)),
      draws_(scans / thin_) {
    const auto& layout = states.layout();
    const int owner = layout.owner_of_block(layout.blocks() - 1);
    chains_here_ = owner == layout.rank() ? chains_ : 0;
    is_after_ = layout.rank() > owner;
    states_.resize(place(chains_here_, 0));
}

inline void RecordedDraws::record(const population::Generation& states, Index n) {
    if (n < 1 || n % thin_ != 0 || n / thin_ > draws_)
        return;
    const auto& last = states.layout();
    for (Index chain = 0; chain < chains_here_; ++chain)
        states.pack(last.local_items() - chains_ + chain,
                    std::span(states_).subspan(place(chain, n / thin_ - 1), particle_bytes_));
}

inline void RecordedDraws::unpack(Index chain, Index draw, Block& block, Index slot) const {
    block.unpack(slot, std::span(states_).subspan(place(chain, draw), particle_bytes_));
}

inline ShardedField RecordedDraws::field() {
    return population::field_of_items(ItemType::bytes, place(1, 0), chains_, is_after_ ? chains_ : 0, states_);
}

/// Collective. The place of the recorded draws of a replicate among all ranks: a block is a chain. `here`: null on
/// ranks without the replicate.
inline parallel::BlockLayout layout_of_draws(const parallel::Communicator& ranks, const RecordedDraws* here) {
    const auto chains = ranks.all_gather(here ? here->chains_here() : Index{0});
    const Index draws = ranks.max(here ? here->draws_per_chain() : Index{0});
    std::vector<Index> first_chains{0};
    for (const Index n : chains)
        first_chains.push_back(first_chains.back() + n);
    return parallel::BlockLayout(first_chains.back() * draws, draws, ranks.size(), ranks.rank())
        .with_runs(first_chains);
}

} // namespace pearlite::algorithm
