#pragma once
/// The levels of a likelihood-constrained run, what each of them excluded, and the levels that a later run needs.

#include "algorithm/likelihood_constrained/constrained_prior.hpp"
#include "core/fields.hpp"

#include <vector>

namespace pearlite::algorithm {

using Levels = std::vector<Level>;

/// Entry t - 1 is that of level t.
struct LevelRecord {
    std::vector<double> log_likelihood, share; ///< of the level
    std::vector<double> log_mass;              ///< log P_t; log_zero if no particle was above the level
    /// log of what the particles that the level excluded added to Z, and log P_{t-1} (1/N) sum_i L(x_i)^2 over them;
    /// log_zero if there were none. A further entry is that of the particles above the last level.
    std::vector<double> log_excluded, log_excluded_squares;

    void fields(Fields& f);
    Index size() const { return static_cast<Index>(log_mass.size()); }
};

/// The first levels of a record, a row of log likelihood and share each, as many as an estimate of Z needs: after T of
/// them the particles that are left add little to its error, because their share of Z is small, or their likelihoods
/// are nearly equal. `log_start`: log P_0.
Matrix needed_levels(const LevelRecord& record, double log_start);
Levels levels_of(const Matrix& rows);

} // namespace pearlite::algorithm
