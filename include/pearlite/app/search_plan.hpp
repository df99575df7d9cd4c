#pragma once
/// What a configuration asks of a search for low energies.

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

struct SearchPlan {
    sampler::SearchSettings settings;
    Index replicates = 1;
    OperationPlan operations;
    std::optional<double> success_below; ///< a replicate with a lower energy has succeeded
    bool polish = false;                 ///< descents from the best states, in boxes
};

} // namespace pearlite::app
