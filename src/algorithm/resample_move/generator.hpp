#pragma once
/// New particles that target p_n, by which adaptive resample-move enlarges its population (Fraccaro, Paquet & Winther
/// 2016, sections 3.1 and 3.2).

#include "algorithm/resample_move/parts.hpp"

#include <memory>
#include <span>

namespace pearlite::algorithm {

/// A pass at n variables.
struct Enlargement {
    const parallel::Communicator& ranks;
    const model::GrowingStage& stage;
    population::Population& population; ///< generation 0 is the base set, R particles
    std::span<const Part> parts;
    /// For a generator that looks ahead: the base set's particles here, times their weight at n + 1 within their part,
    /// times the part's size.
    std::span<const double> next_shares;
    double threshold = 0; ///< the gamma that is wanted
    Index block = 16, sweeps = 1;
    random::Seed seed;
    Index tick = 0; ///< the step that addresses random numbers, one for each sweep
};

/// Sweeps of all particles of a generation, with random numbers of steps tick, tick + 1, ...
void make_sweeps(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                 population::Generation& particles, Index sweeps, const random::Seed& seed, Index tick);

/// Collective. Computes anew what follows from the states of a generation that were copied there.
void prepare_copies(const Enlargement& pass, population::Generation& particles);

/// A generation that a pass has made.
struct Added {
    population::Generation& particles;
    SlotsByPart slots;
};

/// Collective. Appends a copy of the base set, with its weights.
Added append_copy_of_base(const Enlargement& pass);

class Generator {
  public:
    virtual ~Generator() = default;
    /// Collective. Appends a generation of S particles that target p_n; in each part their weights sum to that of the
    /// part. The new particles of a part depend on that part's particles and its `gamma` alone. Errors are agreed.
    virtual Added generate(const Enlargement& pass) const = 0;
    /// Whether the base set's smoothing weights matter.
    virtual bool looks_ahead() const { return false; }
    /// Whether new particles are independent of the base set and join it. If not, they are made of the base set and
    /// replace it.
    virtual bool joins_base() const { return false; }
    /// The number of steps that address the random numbers of a pass with `sweeps` sweeps in each move.
    virtual Index ticks(Index sweeps) const { return sweeps; }
};

/// The base set moves, and the new particles are a copy of it after the moves (ARM).
std::unique_ptr<Generator> moving_on();
/// Copies of the base set move, more copies of particle r the larger its weight at n + 1; the base set takes the place
/// of the first of them (ARM-anticipate).
std::unique_ptr<Generator> anticipating();
/// Chains start from the target's seeds, as many as gamma lacks but at least 100; they make `sweeps` sweeps and join
/// the base set (ARM-reseed).
std::unique_ptr<Generator> reseeding(Index sweeps);

} // namespace pearlite::algorithm
