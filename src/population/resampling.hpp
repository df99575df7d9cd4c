#pragma once
/// Resampling: the same offspring on any number of ranks, and only surplus copies travel.
///
/// Weights become integers relative to the largest, so that prefix sums over ranks are exact. A particle with offspring
/// keeps its slot; the j-th surplus copy in global order fills the j-th empty slot, so survivors are never overwritten
/// and no second population is needed.

#include "pearlite/random/detail/generator.hpp"
#include "population/generation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace pearlite::population {

/// How offspring numbers are drawn (Douc, Cappe & Moulines 2005); each has E[offspring_i] = n W_i, n their sum.
enum class Resampling { multinomial, stratified, systematic, residual };

/// Collective. Offspring numbers of the local particles of `layout`; they sum over all ranks to n_offspring, or to
/// layout.size() if it is not given. Random numbers are addressed by (seed, resample, slot of `generation`, step).
/// NumericalError if a weight is NaN or infinite, or none is > 0. `log_max`: the largest log weight of all ranks, if
/// it is known already.
std::vector<Index> offspring(const parallel::Communicator& ranks, const parallel::BlockLayout& layout, Index generation,
                             std::span<const double> log_weights, Resampling scheme, const random::Seed& seed,
                             std::uint32_t step, std::optional<Index> n_offspring = {},
                             std::optional<double> log_max = {});

/// Particles of a generation with their weights, the input of resampling.
struct WeightedParticles {
    const parallel::BlockLayout* layout;
    std::span<const double> log_weights;
};

/// Collective. The same for several generations whose particles are resampled as one set, one after another; a list for
/// each of them. `generation` addresses the random numbers.
std::vector<std::vector<Index>> offspring(const parallel::Communicator& ranks,
                                          std::span<const WeightedParticles> generations, Index generation,
                                          Resampling scheme, const random::Seed& seed, std::uint32_t step,
                                          Index n_offspring, std::optional<double> log_max = {});

/// A copy plan for one rank: sources and targets are local slots.
struct Relocation {
    struct Copy {
        Index source;
        Index target;
    };
    /// A surplus particle bound for another rank, to be copied there `copies` times.
    struct Departure {
        Index source;
        Index copies;
    };
    std::vector<Copy> local;
    std::vector<std::vector<Departure>> departures; ///< by rank, in the order in which they are sent
    std::vector<std::vector<Index>> arrivals;       ///< by rank: the number of copies of each item that arrives
    std::vector<std::vector<Index>> targets;        ///< by rank: local slots that the copies fill, in order
};

/// Collective. The plan that realises `offspring` (of the local slots).
Relocation plan_relocation(const parallel::Communicator& ranks, const std::vector<Index>& offspring);

/// The particles that a relocation moved, on this rank.
struct Traffic {
    Index local_copies = 0;
    Index sent = 0;
    Index received = 0;
};

/// Collective. Replaces the generation's particles by their offspring; Eves are inherited, log weights become 0.
/// Quantities derived from the states must be recomputed (the model's prepare) afterwards. `particle_bytes` is the size
/// of a packed particle (a rank may hold no particle to ask).
Traffic relocate(const parallel::Communicator& ranks, Generation& generation, const std::vector<Index>& offspring,
                 std::size_t particle_bytes);

/// Collective. Fills `children` with copies of the parents, as many of each as `offspring` says: the j-th copy in the
/// order of the parents' slots goes to slot first_slot + j. Together with those that other parents fill, if any, the
/// copies are children.size(). Eves are inherited; the children's log weights are `log_weight` of the parent, or 0 if
/// that is empty. Quantities derived from the states must be recomputed afterwards. Returns the slot after the last
/// one.
Index copy_offspring(const parallel::Communicator& ranks, const Generation& parents,
                     const std::vector<Index>& offspring, Generation& children, std::size_t particle_bytes,
                     Index first_slot = 0, std::span<const double> log_weights = {});

} // namespace pearlite::population
