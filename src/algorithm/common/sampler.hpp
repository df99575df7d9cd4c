#pragma once
/// The interface of samplers: a state with step(), without files and clocks. Samplers may hold samplers:
/// replicates.hpp, piloted.hpp.

#include "algorithm/common/settings.hpp"
#include "algorithm/growth/growth_record.hpp"
#include "core/fields.hpp"
#include "kernel/kernel.hpp"
#include "pearlite/model/target.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "population/population.hpp"
#include "population/share.hpp"
#include "population/work_balance.hpp"

#include <memory>
#include <optional>

namespace pearlite::algorithm {

class MarkovChains;
class RecordedDraws;
struct SurveyRecord;

class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Collective. Draws the start; not called for a sampler that is read from a checkpoint.
    virtual void begin() = 0;
    virtual bool finished() const = 0;
    /// Collective; begun and not finished. One temperature, scan or iteration.
    virtual void step() = 0;
    /// Collective. Everything recorded up to now enters the trace, and the ranks agree on failures and on whether all
    /// is finished; called before saving.
    virtual void flush() = 0;
    /// Lists the fields of a checkpoint. Reading ends with a sampler that is ready to go on; collective.
    virtual void fields(Fields& f) = 0;

    virtual Progress progress() const = 0;
    virtual bool in_pilot() const { return false; }
    /// The number of stages before the present one, such as a bridge's fit, a pilot or a round; each counts its own
    /// steps.
    virtual Index stage() const { return 0; }
    /// The number of stages, without rounds after the first.
    virtual Index stages() const { return 1; }
    /// Particle moves of one step, on all ranks.
    virtual Index updates_per_step() const = 0;
    /// Likelihoods computed so far; nothing if the sampler does not count them.
    virtual std::optional<Index> likelihood_estimates() const { return {}; }
    /// The likelihoods that a pilot computed, if there was a pilot.
    virtual std::optional<Index> pilot_likelihood_estimates() const { return {}; }
    /// The cost of the ranks' shares of the work in this session; nothing if it is not measured.
    virtual std::optional<population::WorkAccount> work() const { return {}; }

    /// Collective; finished().
    virtual Outcome outcome() const = 0;
    /// Collective; finished(). Lists results that the ranks hold in shards; log weights are written in any case.
    virtual void result_fields(Fields&) {}
    /// exp(log_ratio()) of a finished run is an unbiased estimate, so that means over runs are means of it, not of its
    /// logarithm.
    virtual bool has_unbiased_normaliser() const { return false; }
    /// log Z/Z_0 as of the last reduction.
    virtual double log_ratio() const = 0;
    /// Collective; flushed. log Z/Z_0 of the path up to the present temperature, also before the end.
    virtual LogRatioSoFar log_ratio_so_far() { return {log_ratio(), {}}; }
    virtual const Trace& trace() const = 0;
    virtual population::Population& population() = 0;
    /// The trace has an entry per temperature of a path.
    virtual bool has_path() const { return true; }
    /// The first global slot of generation 0 whose particles target the end of the path.
    virtual Index first_wanted_slot() const { return 0; }
    /// Length of the Markov chains in consecutive slots of generation 0; 1 if the slots hold no chains.
    virtual Index chain_length() const { return 1; }
    /// The kernel with its learnt settings; null if no kernel is of use to a later run.
    virtual const kernel::Kernel* kernel() const { return nullptr; }
    /// kernel::Kernel::learnt() for a later run along the temperatures of the trace; empty if there is nothing.
    virtual Matrix learnt() const { return kernel() ? kernel()->learnt() : Matrix(); }
    /// The draws, if the sampler has Markov chains instead of a final population.
    virtual const MarkovChains* markov_chains() const { return nullptr; }
    /// For one replicate: states at the end of the path, recorded during the run, which stand for the posterior in
    /// place of the final population; null if there are none.
    virtual const RecordedDraws* recorded_draws() const { return nullptr; }
    /// The seed for draws of the posterior's predictions; nothing if the final population is not weighted.
    virtual std::optional<random::Seed> prediction_seed() const { return {}; }
    /// The mobility of a temperature's moves below which a run warns.
    virtual double needed_mobility() const { return 0.3; }
    /// The survey of the path that the schedule was made from; null if there was no survey.
    virtual const SurveyRecord* survey() const { return nullptr; }
    /// The target that is annealed, if the sampler made it; null if it is the target that the sampler was given.
    virtual const model::Target* target() const { return nullptr; }

    /// The number of independent runs of the same kind side by side; 1 for a plain sampler.
    virtual Index n_replicates() const { return 1; }
    /// log Z/Z_0 of each replicate.
    virtual std::vector<double> log_ratios() const { return {log_ratio()}; }
    /// Collective. The trace of each replicate, on rank 0.
    virtual std::vector<Trace> traces() const { return {trace()}; }
    /// Collective. The record of each replicate that grows variable by variable, on rank 0; none of other samplers.
    virtual std::vector<GrowthRecord> growth_records() const { return {}; }
    /// Whether this rank has a share of replicate r; `replicate(r)` is then that share. Every rank has a share of some
    /// replicate, and rank 0 of replicate 0. The functions above that name no replicate return the same on all ranks,
    /// except trace(), population() and kernel(), which belong to a replicate that this rank has a share of.
    virtual bool has_replicate(Index) const { return true; }
    virtual Sampler& replicate(Index) { return *this; }
    /// The ranks among `all`, the sampler's ranks, that have the same replicates as this rank.
    virtual parallel::Communicator team(const parallel::Communicator& all) const { return all; }
};

/// Collective. The particles of a replicate as all ranks see them, a share for each generation.
inline std::vector<population::Share> shares_of(const parallel::Communicator& ranks, Sampler& sampler,
                                                Index replicate) {
    return population::shares_of(ranks, sampler.has_replicate(replicate) ? &sampler.replicate(replicate).population()
                                                                         : nullptr);
}

} // namespace pearlite::algorithm
