#pragma once
/// What the sums of a tempering run say about its trustworthiness: exchanges, equilibrium, and systems that disagree.

#include "algorithm/common/settings.hpp"
#include "algorithm/parallel_tempering/ladder.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pearlite::algorithm {

/// Fewer systems give no error bar.
inline constexpr Index least_systems = 8;
/// In standard errors.
inline constexpr double significant_deviation = 4;

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
std::vector<RungFacts> rung_facts(const parallel::Communicator& ranks, const Ladder& ladder, const TemperingSums& sums,
                                  const parallel::BlockLayout& layout, const TemperingFacts& facts);

/// Collective. Adds diagnostics and warnings, and takes the error bars of the outcome's estimates where the systems are
/// not in equilibrium or disagree.
void judge_tempering(const parallel::Communicator& ranks, const std::vector<RungFacts>& rungs,
                     const TemperingSums& sums, const TemperingFacts& facts, Outcome& outcome);

} // namespace pearlite::algorithm
