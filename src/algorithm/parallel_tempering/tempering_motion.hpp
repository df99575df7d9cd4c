#pragma once
/// How far the moves of a scan carry the states at each temperature, exchanges apart.

#include "algorithm/common/motion_watch.hpp"
#include "algorithm/common/trace.hpp"

#include <memory>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Sums over some of the measured scans, evenly spread, enough for the motion of 1024 states at a temperature. The
/// coldest states may stand still although the ladder works: exchanges bring new ones.
class TemperingMotion {
  public:
    /// Watches the blocks of `states`, one for each temperature; `accepts`: whether their kernel accepts and rejects.
    TemperingMotion(std::shared_ptr<const model::Target> target, const population::Generation& states, Index kept_scans,
                    bool accepts);

    /// Whether the moves of the n-th measured scan, n >= 1, are watched: none if there is nothing to compare.
    bool watches(Index n) const { return watch_.n_sums() > 0 && n % stride_ == 0; }
    /// Takes note of the states of local block b before their moves at b_to.
    void remember(const population::Generation& states, Index b, double b_to) { watch_.remember(states, b, b_to); }
    /// Compares them with the states after `moves` moves, of which `accepted` were accepted, over all states.
    /// `energies`, `shape`: as in MotionWatch.
    void compare(const population::Generation& states, Index b, std::span<const double> energies,
                 const kernel::Shape* shape, Index moves, Index accepted);

    /// Collective. Fills in the trace's moves, acceptance and mobility of all temperatures.
    void write_to(const parallel::Communicator& ranks, Trace& trace) const;

    /// For a checkpoint: an item for each temperature.
    ShardedField field();

  private:
    MotionWatch watch_;
    parallel::BlockLayout layout_;
    Index stride_;
    bool accepts_;
    std::size_t width_;             ///< of a temperature: the sums of its motion, and those of its moves
    std::vector<double> sums_;      ///< of the temperatures here
    std::vector<double> no_weight_; ///< log weights of equal weights
};

} // namespace pearlite::algorithm
