#pragma once
/// Fits of paths of averaged moments of small RBMs, and runs along them.

#include "models/moment_oracle.hpp"

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/fitted_path/moment_averaged.hpp"
#include "kernel/native.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <memory>
#include <utility>

namespace pearlite::algorithm::testing {

inline std::shared_ptr<const model::TargetOf<models::Rbm>> small_rbm(Index n_visible = 5, Index n_hidden = 4) {
    return std::make_shared<const model::TargetOf<models::Rbm>>(
        std::make_shared<const models::Rbm>(models::rbm_oracle::asymmetric_rbm(n_visible, n_hidden, 1.0, 8)));
}

inline std::unique_ptr<Sampler> annealed_along(const parallel::Communicator& ranks,
                                               std::shared_ptr<const model::Target> path, Index steps, Index moves,
                                               const PopulationSettings& settings) {
    const kernel::Native kernel(path, moves);
    return std::make_unique<AnnealedImportance>(ranks, path, path::linear_schedule(steps, 1), kernel, settings);
}

} // namespace pearlite::algorithm::testing
