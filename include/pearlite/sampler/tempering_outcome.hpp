#pragma once
/// What parallel tempering found, from its sums over scans.

#include "pearlite/sampler/settings.hpp"

#include <span>
#include <vector>

namespace pearlite::sampler {

/// Sums over the scans kept, of the replica systems i = 0..R-1 at the temperatures t = 0..T-1: element t R + i. u = d
/// log f_b/db at b_t.
struct TemperingSums {
    std::vector<double> u, u_first_half, u_square;
    /// sum exp(x - shift) of x = log f_{t+1} - log f_t (forward, not for the last t) at x ~ p_t, with its shift.
    std::vector<double> ratio, ratio_shift;
    /// Expected swaps with the next temperature, over the scans at which the pair's turn came.
    std::vector<double> swaps;
    std::vector<std::int64_t> tags; ///< see ReplicaTag
};

/// A replica's history, which travels with its state.
struct ReplicaTag {
    /// The end of the ladder that it visited last, and how often it went from b_0 to b_K and back.
    static constexpr std::int64_t at_end = 1;
    static std::int64_t visit_start(std::int64_t tag) { return tag % 2 == at_end ? tag + 2 - at_end : tag; }
    static std::int64_t visit_end(std::int64_t tag) { return tag % 2 == at_end ? tag : tag + at_end; }
    static std::int64_t round_trips(std::int64_t tag) { return tag / 2; }
};

/// What else the sums are to be read with.
struct TemperingFacts {
    std::vector<double> inverse_temperature; ///< T
    Index replicas = 0;                      ///< R
    Index kept_scans = 0;
    Index first_half_scans = 0; ///< of the kept ones
    Index scans = 0;            ///< burn-in included
    bool is_linear = false;     ///< dE[u]/db = Var[u]
};

/// The number of scans in after+1 .. last at which the pair (t, t+1) has its turn: those of t's parity.
Index due_scans(Index t, Index after, Index last);

/// Stepping stones (Xie et al. 2011): sum_t log mean f_{t+1}/f_t over p_t. Thermodynamic integration: trapezoidal, with
/// Euler and Maclaurin's correction by Var[u] where the path is linear; else extrapolated from the ladder and every
/// second of its temperatures, if it has an even number of steps. Standard errors by jackknife over the replica
/// systems, which are independent; none for fewer than 8.
Outcome tempering_outcome(const TemperingSums& sums, const TemperingFacts& facts);

/// The arrays of a results file; without sums, only their names.
std::vector<NamedArray> tempering_arrays(const TemperingSums& sums, const TemperingFacts& facts);

} // namespace pearlite::sampler
