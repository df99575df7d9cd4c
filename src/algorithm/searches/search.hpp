#pragma once
/// The interface of a search for low energies for plans, runs and results.

#include "algorithm/searches/search_record.hpp"
#include "algorithm/searches/search_settings.hpp"
#include "core/fields.hpp"
#include "pearlite/model/detail/built_model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// The settings of a search, as a configuration gives them.
struct SearchPlan {
    SearchSettings settings;
    Index replicates = 1;
    model::OperationPlan operations;
    std::optional<double> success_below; ///< a replicate with a lower energy has succeeded
    bool polish = false;                 ///< descents from the best states, in boxes
};

/// A search with all its replicates. Only the plan of a search names its class.
class Search {
  public:
    virtual ~Search() = default;

    /// Collective. Draws the first states; not called for a search that is read from a checkpoint.
    virtual void begin() = 0;
    virtual bool finished() const = 0;
    /// Collective. Some iterations of every group's present replicate.
    virtual void step() = 0;
    /// Collective; called before saving.
    virtual void flush() = 0;
    /// Lists the fields of a checkpoint.
    virtual void fields(Fields& f) = 0;

    virtual Index iterations_per_step() const = 0;
    /// Steps of all replicates: the same on every rank, whatever the number of ranks of this or an earlier session.
    virtual Index steps_in_all() const = 0;
    virtual Index steps_done() const = 0;
    /// Groups of ranks that still have a replicate to work on.
    virtual Index groups_at_work() const = 0;
    virtual double best_energy() const = 0;
    virtual double temperature() const = 0;
    virtual const model::Space& space() const = 0;
    /// How many ranks share a replicate's chains, and the measurement that chose so; empty where there was no choice.
    virtual std::string describe_ranks() const = 0;

    /// The seed of each replicate.
    virtual std::vector<std::uint64_t> seeds() const = 0;
    /// Collective; finished(). The outcomes in the order of the replicates, on the root; elsewhere empty.
    virtual std::vector<SearchOutcome> outcomes() const = 0;
};

} // namespace pearlite::algorithm
