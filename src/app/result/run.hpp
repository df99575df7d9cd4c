#pragma once
/// A run as the run loop sees it: steps, state, result; no templates.

#include "algorithm/common/settings.hpp"
#include "algorithm/pseudo_marginal/chain_outcome.hpp"
#include "algorithm/search_chains/search_record.hpp"
#include "app/posterior/predictions.hpp"
#include "estimator/posterior.hpp"
#include "io/container/container.hpp"
#include "io/files/digest.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/energy/state_description.hpp"
#include "population/work_balance.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// Final particles as pictures.
using model::Images;

/// Where the descent from a replicate's best state ended.
struct PolishedState {
    double energy = 0;
    std::int64_t energies = 0, gradients = 0; ///< computed by the descent
    double gradient_error = 0; ///< of the energy's own gradient at the start, relative to what it should be
    std::vector<double> point;
};

/// What algorithm.polish adds to a search.
struct PolishResult {
    std::vector<PolishedState> replicates;
    std::size_t best_replicate = 0; ///< the lowest after the descent
    model::StateDescription best;   ///< of it
};

/// What the replicates of a search found.
struct SearchResult {
    std::vector<algorithm::SearchOutcome> replicates;
    std::vector<std::uint64_t> seeds;
    std::size_t best_replicate = 0;
    model::StateDescription best;
    Matrix region_states; ///< of the best replicate: the best state of each region, one per row
    std::optional<double> known_minimum;
    std::optional<double> success_below;
    std::optional<PolishResult> polish;
};

/// What a finished run found. Complete on rank 0; elsewhere only what is replicated.
struct RunResult {
    algorithm::Outcome outcome;
    algorithm::Trace trace;
    bool has_path = false; ///< replicated: the trace has an entry per temperature
    std::optional<double> log_normaliser_start;
    std::optional<double> exact_log_ratio;
    std::vector<estimator::PosteriorSummary> posterior;
    std::vector<std::string> parameter_names;
    Index chains = 1;               ///< Markov chains, or batches
    Index draws_of_a_chain = 0;     ///< that the results file has
    bool draws_are_weighted = true; ///< false for Markov chains, whose draws count equally
    bool has_densities = false;     ///< replicated: whether the draws have these two
    /// Draws with equal weights, equally many of each chain, chain after chain: d x draws, of which there are not too
    /// many for one rank. `drawn`: which draw of its chain each is.
    Matrix draws;
    std::vector<Index> drawn;
    std::vector<double> draw_log_prior, draw_log_likelihood; ///< on the scale samplers move on, as accepted
    std::vector<double> draw_log_weights; ///< of all weighted draws, comparable across chains; empty if these are many
    model::DataDescription data;
    bool predicts = false; ///< replicated: whether the model has predictions
    Predictions predictions;
    std::vector<algorithm::Trace> batch_traces; ///< for more than one batch
    std::vector<double> batch_log_ratios;       ///< for more than one batch
    std::optional<Images> images;
    std::optional<algorithm::ChainOutcome> markov_chains;
    std::optional<SearchResult> search;
    std::string digest; ///< of packed particles in slot order, log weights and estimates
};

class Run {
  public:
    virtual ~Run() = default;

    /// Collective. Draws the start of a run that is not restored from a checkpoint.
    virtual void begin() = 0;
    virtual bool finished() const = 0;
    /// Collective.
    virtual void step() = 0;
    virtual algorithm::Progress progress() const = 0;
    /// True while a pilot looks for temperatures and scales.
    virtual bool in_pilot() const = 0;
    /// Particle moves of one step, on all ranks.
    virtual Index updates_per_step() const = 0;
    /// What the ranks' shares of the work have cost in this session, where that is measured.
    virtual std::optional<population::WorkAccount> work() const { return {}; }

    /// Collective. Adds the state to a checkpoint; takes it from one.
    virtual void save(io::Writer& writer) = 0;
    virtual void restore(io::Reader& reader) = 0;

    /// Collective; finished(). `result_fields` adds what is sharded to a results file.
    virtual RunResult result() = 0;
    virtual void result_fields(io::Writer& writer) = 0;
};

} // namespace pearlite::app
