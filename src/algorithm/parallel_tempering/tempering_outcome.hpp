#pragma once
/// The outcome of parallel tempering, from its sums over scans: estimates, with checks of the exchanges, of
/// equilibrium, and of the agreement between systems.

#include "algorithm/common/settings.hpp"
#include "algorithm/parallel_tempering/tempering_sums.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

/// The facts that estimates and judgments need besides the sums.
struct TemperingFacts : estimator::LadderFacts {
    Index first_half_scans = 0; ///< of the measured scans
    Index scans = 0;            ///< burn-in included
};

/// The facts of a temperature that all ranks know.
struct RungFacts {
    double mean_u = 0, variance_u = 0, mean_u_error = 0;
    double drift = 0;           ///< of mean u between the halves of the kept scans, in standard errors
    double swap_acceptance = 0; ///< with the next temperature
    double r_hat = 1;           ///< of u over the halves of all systems
    /// The systems whose mean u lies farthest from the median of all, -1 where there are fewer.
    std::array<std::int64_t, 4> farthest{};
};

/// Collective. The facts of all temperatures.
std::vector<RungFacts> rung_facts(const parallel::Communicator& ranks, const estimator::Ladder& ladder,
                                  const TemperingSums& sums, const parallel::BlockLayout& layout,
                                  const TemperingFacts& facts);

/// Collective. Adds diagnostics and warnings, and takes the error bars of the outcome's estimates where the systems are
/// not in equilibrium or disagree.
void judge_tempering(const parallel::Communicator& ranks, const std::vector<RungFacts>& rungs,
                     const TemperingSums& sums, const TemperingFacts& facts, Outcome& outcome);

/// Collective. From the sums of the states that this rank owns under `layout`, whose block t holds the R states at the
/// temperature t. Every rank gets the result, the same on any number of ranks; no rank holds more than its own sums, R
/// numbers of the jackknife and some numbers of each temperature.
/// Estimates by stepping stones and thermodynamic integration (estimator/evidence/ladder.hpp), and by MBAR if u is
/// recorded.
Outcome tempering_outcome(const parallel::Communicator& ranks, const TemperingSums& sums,
                          const parallel::BlockLayout& layout, const TemperingFacts& facts,
                          const std::optional<estimator::LadderRecords>& records = {});

} // namespace pearlite::algorithm
