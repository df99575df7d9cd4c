#pragma once
/// u = d log f_b/db of measured scans at all temperatures, for MBAR.

#include "core/fields.hpp"
#include "estimator/mbar/ladder_mbar.hpp"
#include "population/generation.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Every so many scans of all states of a generation, whose block t holds those at temperature t: as many as
/// `most_bytes` hold, and as MBAR's equations take a billion products for, but 32 of a state at least.
class RecordedEnergies {
  public:
    /// Of so many measured scans.
    RecordedEnergies(const population::Generation& states, Index scans, std::size_t most_bytes);

    /// Takes note of u of the states of local block b after the n-th measured scan, n >= 1, if its turn has come.
    void record(const population::Generation& states, Index b, std::span<const double> u, Index n);

    estimator::LadderRecords records() const { return {values_, scans_}; }

    /// For a checkpoint: an item is a state.
    ShardedField field();

  private:
    static Index thinning(const population::Generation& states, Index scans, std::size_t most_bytes);

    parallel::BlockLayout layout_;
    Index thin_, scans_;
    std::vector<double> values_;
};

} // namespace pearlite::algorithm
