#pragma once
/// A sampler: a state with step(). It knows no files and no clocks. Samplers may hold samplers: replicates.hpp,
/// piloted.hpp.

#include "algorithm/common/settings.hpp"
#include "core/fields.hpp"
#include "kernel/kernel.hpp"
#include "pearlite/model/target.hpp"
#include "population/population.hpp"
#include "population/share.hpp"
#include "population/work_balance.hpp"

#include <memory>
#include <optional>

namespace pearlite::algorithm {

class MarkovChains;

class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Collective. Draws the start; a sampler that is read from a checkpoint does without.
    virtual void begin() = 0;
    virtual bool finished() const = 0;
    /// Collective; begun and not finished. One temperature, scan or iteration.
    virtual void step() = 0;
    /// Collective. Everything recorded up to now enters the trace, failures are agreed on, and whether all is finished;
    /// called before saving.
    virtual void flush() = 0;
    /// Lists what a checkpoint holds. Reading ends with a sampler that is ready to go on; collective.
    virtual void fields(Fields& f) = 0;

    virtual Progress progress() const = 0;
    virtual bool in_pilot() const { return false; }
    /// Particle moves of one step, on all ranks.
    virtual Index updates_per_step() const = 0;
    /// Likelihoods computed so far, where that is counted.
    virtual std::optional<Index> likelihood_estimates() const { return {}; }
    /// The ones among them that a pilot computed, if there was one.
    virtual std::optional<Index> pilot_likelihood_estimates() const { return {}; }
    /// What the ranks' shares of the work have cost in this session, where that is measured.
    virtual std::optional<population::WorkAccount> work() const { return {}; }

    /// Collective; finished().
    virtual Outcome outcome() const = 0;
    /// Collective; finished(). Lists results that the ranks hold in shards; log weights are written in any case.
    virtual void result_fields(Fields&) {}
    /// exp(log_ratio()) of a finished run is an unbiased estimate, so that means over runs are taken of it, not of its
    /// logarithm.
    virtual bool has_unbiased_normaliser() const { return false; }
    /// log Z/Z_0 as of the last reduction.
    virtual double log_ratio() const = 0;
    virtual const Trace& trace() const = 0;
    virtual population::Population& population() = 0;
    /// The trace has an entry per temperature of a path.
    virtual bool has_path() const { return true; }
    /// The first global slot of generation 0 whose particles target the end of the path.
    virtual Index first_wanted_slot() const { return 0; }
    /// The kernel with what it has learnt; null where none is of use to a later run.
    virtual const kernel::Kernel* kernel() const { return nullptr; }
    /// The draws, where they are those of Markov chains instead of a final population.
    virtual const MarkovChains* markov_chains() const { return nullptr; }
    /// The seed by which the posterior's predictions are drawn; nothing where the final population is not weighted.
    virtual std::optional<std::uint64_t> prediction_seed() const { return {}; }

    /// Independent runs of the same kind side by side; a plain sampler is the only one of its own.
    virtual Index n_replicates() const { return 1; }
    /// log Z/Z_0 of each.
    virtual std::vector<double> log_ratios() const { return {log_ratio()}; }
    /// Collective. The trace of each, on rank 0.
    virtual std::vector<Trace> traces() const { return {trace()}; }
    /// Whether this rank has a share of replicate r, which then `replicate(r)` is. Every rank has one of some; rank 0
    /// has replicate 0. What is said of the sampler above without naming a replicate is the same on all ranks, but
    /// for trace(), population() and kernel(), which are those of a replicate that this rank has a share of.
    virtual bool has_replicate(Index) const { return true; }
    virtual Sampler& replicate(Index) { return *this; }
    /// The ranks among `all`, the sampler's, that have the same replicates as this one.
    virtual parallel::Communicator team(const parallel::Communicator& all) const { return all; }
};

/// Collective. The particles of a replicate as all ranks see them, a share for each generation.
inline std::vector<population::Share> shares_of(const parallel::Communicator& ranks, Sampler& sampler,
                                                Index replicate) {
    return population::shares_of(ranks, sampler.has_replicate(replicate) ? &sampler.replicate(replicate).population()
                                                                         : nullptr);
}

} // namespace pearlite::algorithm
