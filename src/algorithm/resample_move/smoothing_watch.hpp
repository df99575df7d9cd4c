#pragma once
/// The mobility of the smoothing weights, on which the next step depends, under the sweeps.

#include "parallel/communicator.hpp"
#include "pearlite/model/detail/growing_target.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "population/generation.hpp"

#include <vector>

namespace pearlite::algorithm {

/// Takes the smoothing weights of the first 1024 particles before and after the sweeps at n variables, enough for a
/// mobility to a few per cent whatever the population's size.
class SmoothingWatch {
  public:
    /// Collective. Before the sweeps. `tick`: the step of the random numbers that the weights after the sweeps will
    /// take, so that a particle that stays has the same weight twice.
    void remember(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                  population::Generation& particles, const random::Seed& seed, Index tick);
    /// Collective. E (W_n(x') - W_n(x))^2/(2 Var W_n) over particles x before and x' after the sweeps: 0 if all stand
    /// still, 1 if x' is independent of x; NaN where all weights are equal. `log_weights`: log W_n(x').
    double mobility(const parallel::Communicator& ranks, const population::Generation& particles,
                    const std::vector<double>& log_weights) const;

  private:
    std::vector<double> before_; ///< log W_n(x) by local slot, 0 where not watched
};

} // namespace pearlite::algorithm
