#pragma once
/// u = d log f_b/db of measured scans at all temperatures, for MBAR.

#include "core/fields.hpp"
#include "estimator/mbar/ladder_mbar.hpp"
#include "population/generation.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The values of u of all states of a generation, whose block t holds the states at temperature t, at a fixed interval
/// of scans: as many as fit in `most_bytes` and as MBAR's equations can use with a billion products, but at least 32 of
/// each state.
class RecordedEnergies {
  public:
    /// `scans`: the number of measured scans.
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
