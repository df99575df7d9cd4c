#pragma once
/// What parallel tempering found, from its sums over scans.

#include "algorithm/common/settings.hpp"
#include "algorithm/parallel_tempering/tempering_sums.hpp"

#include <vector>

namespace pearlite::algorithm {

/// What else the sums are to be read with.
struct TemperingFacts {
    std::vector<double> inverse_temperature; ///< T
    Index replicas = 0;                      ///< R
    Index kept_scans = 0;
    Index first_half_scans = 0; ///< of the kept ones
    Index scans = 0;            ///< burn-in included
    bool is_linear = false;     ///< dE[u]/db = Var[u]
};

/// Stepping stones (Xie et al. 2011): sum_t log mean f_{t+1}/f_t over p_t. Thermodynamic integration: trapezoidal, with
/// Euler and Maclaurin's correction by Var[u] where the path is linear; else extrapolated from the ladder and every
/// second of its temperatures, if it has an even number of steps. Standard errors by jackknife over the replica
/// systems, which are independent; none for fewer than 8.
Outcome tempering_outcome(const TemperingSums& sums, const TemperingFacts& facts);

/// The arrays of a results file; without sums, only their names.
std::vector<NamedArray> tempering_arrays(const TemperingSums& sums, const TemperingFacts& facts);

} // namespace pearlite::algorithm
