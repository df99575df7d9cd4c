#pragma once
/// What a configuration asks of a search for low energies.

#include "pearlite/app/algorithm.hpp"
#include "pearlite/io/configuration.hpp"
#include "pearlite/sampler/search_settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// The operations that chains make, as [kernel] names them.
struct OperationPlan {
    std::vector<std::string> operations;
    Index mutation_points = 1, crossover_points = 2;
    double first_scale = 0.1;
    Index descent_iterations = 0; ///< from each state to its energy, in boxes
};

/// What of a search space a configuration's other tables depend on; for models that are searched.
struct SearchTraits {
    std::vector<std::string> operations;         ///< those it offers
    std::vector<std::string> default_operations; ///< those made unless the configuration lists others
    std::vector<std::string> crossovers;         ///< those among them that need partners
    bool is_box = false;                         ///< operations of kernel::BoxSpace, with its keys
    std::string update_unit = "chain updates";
};

struct SearchPlan {
    sampler::SearchSettings settings;
    Index replicates = 1;
    OperationPlan operations;
    std::optional<double> success_below; ///< a replicate with a lower energy has succeeded
    bool polish = false;                 ///< descents from the best states, in boxes
};

/// Reads [algorithm] (but its name), [schedule] and [kernel]. Mistakes are recorded in the configuration.
SearchPlan read_search_plan(io::Configuration& configuration, Algorithm algorithm, const SearchTraits& traits,
                            std::uint64_t seed);

} // namespace pearlite::app
