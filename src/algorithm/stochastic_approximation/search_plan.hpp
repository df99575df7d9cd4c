#pragma once
/// The settings of a search for low energies, as a configuration gives them.

#include "algorithm/stochastic_approximation/search_settings.hpp"
#include "pearlite/model/detail/built_model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

struct SearchPlan {
    SearchSettings settings;
    Index replicates = 1;
    model::OperationPlan operations;
    std::optional<double> success_below; ///< a replicate with a lower energy has succeeded
    bool polish = false;                 ///< descents from the best states, in boxes
};

} // namespace pearlite::algorithm
