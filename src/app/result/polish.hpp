#pragma once
/// The end of a search in a box: descents from the best states of its replicates to the nearest minima.

#include "app/result/parts/search/search.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/model/energy/detail/descent.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <span>
#include <vector>

namespace pearlite::app {

/// Whether the space has descents; only energies of points of a box do.
bool can_polish(const model::Space& space);

/// Collective. `outcomes`: those of the replicates, on the root. The ranks share the descents, whose results do not
/// depend on the number of ranks. Complete on the root; elsewhere empty. ContractViolation unless can_polish(space).
PolishResult polish(const parallel::Communicator& ranks, const model::Space& space,
                    const std::vector<algorithm::SearchOutcome>& outcomes, Index replicates);

/// Distance of the energy's own gradient at x from differences, relative to its size; differences of an energy U are no
/// better than 1e-5 or so of max(1, |U|). 0 without a gradient.
double gradient_error(const model::Descent& energy, std::span<const double> x);

} // namespace pearlite::app
