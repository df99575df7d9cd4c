#pragma once
/// The findings of a sampler as one value.

#include "algorithm/common/growth_record.hpp"
#include "algorithm/common/trace.hpp"
#include "population/shards.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

class MarkovChains;
class RecordedDraws;
class Sampler;
class Search;
class Training;
struct SurveyRecord;

/// Each part is there or not. The pointers belong to the sampler, and hold until its next step.
///
/// With several replicates `trace`, `population` and `kernel` are those of a replicate that this rank has a share of,
/// which is replicate 0 on rank 0; all else is the same on every rank.
struct Found {
    const Trace* trace = nullptr;
    bool has_path = true; ///< the trace has an entry for each temperature of a path
    population::Population* population = nullptr;
    Index first_wanted_slot = 0; ///< of generation 0, from which on particles target the end of the path
    Index chain_length = 1;   ///< of the Markov chains in consecutive slots of generation 0; 1 if they hold no chains
    bool is_unbiased = false; ///< exp(log ratio) is, so that means over runs are means of it, not of its logarithm
    double needed_mobility = 0.3;            ///< of a temperature's moves, below which a run warns
    const kernel::Kernel* kernel = nullptr;  ///< with its learnt settings, if they are of use to a later run
    const Matrix* learnt_by_pilot = nullptr; ///< by its kernel, if the main run has no kernel
    const MarkovChains* chains = nullptr;    ///< in place of a final population
    /// States of one replicate at the end of the path, which stand for the posterior in place of the final population.
    const RecordedDraws* draws = nullptr;
    std::optional<random::Seed> prediction_seed = {}; ///< for draws of the posterior's predictions
    const Matrix* levels = nullptr;        ///< of the likelihood, found for a later run: a row of log L and share each
    const SurveyRecord* survey = nullptr;  ///< of the path, that the schedule was made from
    const GrowthRecord* growth = nullptr;  ///< of a density that grows variable by variable
    const model::Target* target = nullptr; ///< that is annealed, if the sampler made it of the one that it was given
    const Search* search = nullptr;
    Training* training = nullptr;
    std::function<void(Fields&)> sharded_results = {}; ///< collective; lists them. Log weights are written in any case

    // Independent runs of the same kind side by side.

    /// Null where this rank has no share of a replicate; no entries for a single run. A rank has a share of some.
    std::vector<Sampler*> replicates = {};
    std::vector<double> log_ratios = {};             ///< log Z/Z_0 of each
    std::optional<parallel::Communicator> team = {}; ///< ranks with the same replicates as this one

    Index n_replicates() const { return replicates.empty() ? 1 : std::ssize(replicates); }
    bool has_replicate(Index r) const { return replicates.empty() || replicates[static_cast<std::size_t>(r)]; }
    /// This rank's share of a replicate.
    Found replicate(Index r) const;
    /// The ranks among `all`, the sampler's, that have the same replicates as this rank.
    parallel::Communicator team_of(const parallel::Communicator& all) const { return team.value_or(all); }
    /// kernel::Kernel::learnt() for a later run along the temperatures of the trace; empty if there is nothing.
    Matrix learnt() const;
};

/// Collective. The particles of a replicate as all ranks see them, a share for each generation.
std::vector<population::Share> shares_of(const parallel::Communicator& ranks, const Found& found, Index replicate);
/// Collective. The trace of each replicate, on rank 0.
std::vector<Trace> traces_of(const parallel::Communicator& ranks, const Found& found);
/// Collective. The record of each replicate that grows variable by variable, on rank 0; none of other samplers.
std::vector<GrowthRecord> growth_records_of(const parallel::Communicator& ranks, const Found& found);

} // namespace pearlite::algorithm
