#include "algorithm/nonequilibrium/nonequilibrium_course.hpp"

#include "pearlite/core/contract.hpp"

namespace pearlite::algorithm {

NonequilibriumCourse::Place NonequilibriumCourse::place(Index step) const {
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

} // namespace pearlite::algorithm
