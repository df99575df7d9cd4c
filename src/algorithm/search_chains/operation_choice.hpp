#pragma once
/// Which operation an iteration makes.

#include "pearlite/model/energy/detail/space.hpp"
#include "pearlite/random/stream.hpp"

#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Draws operations by their rates.
class OperationChoice {
  public:
    /// `rates`: one per operation, or empty for equal ones.
    OperationChoice(std::span<const model::Operation> operations, std::vector<double> rates);

    /// Draws one of all operations, or a mutation if crossovers cannot be made.
    Index draw(random::Stream& stream, bool may_cross) const;

  private:
    std::vector<double> rates_, mutation_rates_; ///< 0 for crossovers
    double sum_ = 0, mutation_sum_ = 0;
};

} // namespace pearlite::algorithm
