#pragma once
/// A population: a list of generations. Most samplers have one; a growing one appends.

#include "population/generation.hpp"

#include <list>

namespace pearlite::population {

class Population {
  public:
    /// `particle_bytes`: the size of a packed particle of the blocks that `make_block` makes. Neighbouring blocks, in
    /// groups of `blocks_together` from block 0 on, belong to one rank.
    Population(const parallel::Communicator& ranks, MakeBlock make_block, std::size_t particle_bytes,
               Index blocks_together = 1);

    /// Appends a generation of `size` particles in blocks of `block`; references to earlier ones stay valid.
    Generation& append(Index size, Index block);

    /// Removes the generations after the first n.
    void keep(Index n);
    /// Particles of generations that are made from now on are of another size, as those present have become.
    void set_particle_bytes(std::size_t bytes) { particle_bytes_ = bytes; }

    Index n_generations() const { return static_cast<Index>(generations_.size()); }
    Generation& generation(Index g) { return *std::next(generations_.begin(), g); }
    const Generation& generation(Index g) const { return *std::next(generations_.begin(), g); }
    /// Particles of all generations on all ranks.
    Index size() const;
    std::size_t particle_bytes() const { return particle_bytes_; }
    const MakeBlock& make_block() const { return make_block_; }

    /// Lists the fields of a checkpoint: each generation's sizes, particles, log weights and Eves. Reading replaces all
    /// generations by those of the checkpoint; data derived from the states must be recomputed afterwards.
    void fields(Fields& f);

  private:
    parallel::BlockLayout layout_of(Index size, Index block) const;

    parallel::Communicator ranks_;
    MakeBlock make_block_;
    std::size_t particle_bytes_;
    Index blocks_together_;
    std::list<Generation> generations_;
};

} // namespace pearlite::population
