#pragma once
/// Free energies from forward and reverse works, from a run or from files.

#include "algorithm/common/settings.hpp"
#include "estimator/work/work.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "population/shards.hpp"

namespace pearlite::algorithm {

/// Collective. Estimates of log Z/Z_0, the effective sample size of the forward works, verdict, diagnostics, and draws
/// of log Z as an array.
Outcome outcome_of_works(const population::Shards& forward, const population::Shards& reverse,
                         const estimator::WorkFacts& facts, const random::Seed& seed);

} // namespace pearlite::algorithm
