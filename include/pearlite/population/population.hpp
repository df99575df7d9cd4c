#pragma once
/// A population: a list of generations. Most samplers have one; a growing one appends.

#include "pearlite/parallel/communicator.hpp"
#include "pearlite/population/generation.hpp"

#include <list>
#include <string>
#include <utility>

namespace pearlite::population {

template <ParticleBlock B>
class Population {
  public:
    using Block = B;

    /// Appends a generation of `size` particles in blocks of `block`; references to earlier ones stay valid.
    template <class MakeBlock>
    Generation<B>& append(Index size, Index block, const parallel::Communicator& ranks, MakeBlock&& make_block) {
        const parallel::BlockLayout layout(size, block, ranks.size(), ranks.rank());
        return generations_.emplace_back(layout, static_cast<Index>(generations_.size()),
                                         std::forward<MakeBlock>(make_block));
    }

    Index n_generations() const { return static_cast<Index>(generations_.size()); }
    Generation<B>& generation(Index g) { return *std::next(generations_.begin(), g); }
    const Generation<B>& generation(Index g) const { return *std::next(generations_.begin(), g); }
    Index size() const {
        Index total = 0;
        for (const auto& generation : generations_)
            total += generation.size();
        return total;
    }

    /// Lists what a checkpoint holds: each generation's particles, log weights and Eves. The generations must exist
    /// with their sizes before reading. `particle_bytes` is the size of a packed particle.
    template <class Fields>
    void fields(Fields& f, std::size_t particle_bytes) {
        auto count = n_generations();
        f("generations", count);
        PEARLITE_ENSURES(count == n_generations());
        for (auto& generation : generations_) {
            f.enter("generation-" + std::to_string(generation.number()));
            f.sharded("particles", generation.particles_field(particle_bytes));
            f.sharded("log_weight", generation.log_weights_field());
            f.sharded("eve", generation.eves_field());
            f.leave();
        }
    }

  private:
    std::list<Generation<B>> generations_;
};

} // namespace pearlite::population
