#pragma once
/// The interface of a search for low energies for plans, runs and results.

#include "algorithm/search/search_record.hpp"
#include "algorithm/search/search_settings.hpp"
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

/// The findings of a search with all its replicates, a part of Found. Only the plan of a search names its class.
class Search {
  public:
    virtual ~Search() = default;

    virtual const model::Space& space() const = 0;
    /// How many ranks share a replicate's chains, and the measurement that chose so; empty where there was no choice.
    virtual std::string describe_ranks() const = 0;

    /// The seed of each replicate.
    virtual std::vector<std::uint64_t> seeds() const = 0;
    /// Collective; finished(). The outcomes in the order of the replicates, on the root; elsewhere empty.
    virtual std::vector<SearchOutcome> outcomes() const = 0;
};

} // namespace pearlite::algorithm
