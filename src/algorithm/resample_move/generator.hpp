#pragma once
/// New particles that target p_n, by which adaptive resample-move enlarges its population (Fraccaro, Paquet & Winther
/// 2016, sections 3.1 and 3.2).

#include "parallel/communicator.hpp"
#include "pearlite/model/detail/growing_target.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "population/population.hpp"

#include <memory>
#include <span>

namespace pearlite::algorithm {

/// A pass at n variables.
struct Enlargement {
    const parallel::Communicator& ranks;
    const model::GrowingStage& stage;
    population::Population& population; ///< generation 0 is the base set, R particles
    /// For a generator that looks ahead: log W_n of the base set here, and the log of its mean with the set's weights.
    std::span<const double> log_smoothing;
    double log_mean = 0;
    double gamma = 1, threshold = 0; ///< of all particles so far, and the one that is wanted
    Index block = 16, sweeps = 1;
    random::Seed seed;
    Index tick = 0; ///< the step that addresses random numbers, one for each sweep
};

/// Sweeps of all particles of a generation, with random numbers of steps tick, tick + 1, ...
void make_sweeps(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                 population::Generation& particles, Index sweeps, const random::Seed& seed, Index tick);

/// Collective. Computes anew what follows from the states of a generation that were copied there.
void prepare_copies(const Enlargement& pass, population::Generation& particles);

/// Collective. Appends a copy of the base set, with its weights.
population::Generation& append_copy_of_base(const Enlargement& pass);

class Generator {
  public:
    virtual ~Generator() = default;
    /// Collective. Appends a generation of S particles that target p_n; their log weights sum to 1. Errors are agreed.
    virtual population::Generation& generate(const Enlargement& pass) const = 0;
    /// Whether the base set's smoothing weights matter.
    virtual bool looks_ahead() const { return false; }
    /// Whether new particles join the base set, of which they know nothing. Those that are made of it take its place.
    virtual bool joins_base() const { return false; }
    /// The steps of random numbers that a pass takes, whose moves have so many sweeps.
    virtual Index ticks(Index sweeps) const { return sweeps; }
};

/// The base set moves on in its place, and a copy of it is new (ARM).
std::unique_ptr<Generator> moving_on();
/// Copies of the base set, the more of them the more particle r will weigh at n + 1, move; the base set moves on as the
/// first of them (ARM-anticipate).
std::unique_ptr<Generator> anticipating();
/// Chains from the target's seeds, as many as gamma lacks and 100 at least, make so many sweeps and join the base set
/// (ARM-reseed).
std::unique_ptr<Generator> reseeding(Index sweeps);

} // namespace pearlite::algorithm
