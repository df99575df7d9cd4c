#pragma once
/// The parts of a nonequilibrium run, one after another.

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/types.hpp"

namespace pearlite::algorithm {

/// Forward trajectories through all K temperatures; a pool of trajectories that provides the reverse starts, if these
/// are weighted; the equilibration of the reverse starts; and the trajectories backwards through all temperatures.
class NonequilibriumCourse {
  public:
    enum class Phase { forward, pool, equilibration, reverse };
    struct Place {
        Phase phase = Phase::forward;
        Index number = 0; ///< 1, 2, ... within the phase
    };

    /// `temperatures`: K; `equilibration`: steps, >= 0.
    NonequilibriumCourse(Index temperatures, bool has_pool, Index equilibration)
        : temperatures_(temperatures), pool_(has_pool ? temperatures : 0), equilibration_(equilibration) {}

    Index steps() const { return 2 * temperatures_ + pool_ + equilibration_; }
    /// The place of step 1 .. steps(); before the first, number 0 of the forward phase.
    Place place(Index step) const {
        PEARLITE_EXPECTS(step >= 0 && step <= steps());
        if (step <= temperatures_)
            return {Phase::forward, step};
        const Index after_forward = step - temperatures_;
        if (after_forward <= pool_)
            return {Phase::pool, after_forward};
        const Index after_pool = after_forward - pool_;
        if (after_pool <= equilibration_)
            return {Phase::equilibration, after_pool};
        return {Phase::reverse, after_pool - equilibration_};
    }

  private:
    Index temperatures_, pool_, equilibration_;
};

} // namespace pearlite::algorithm
