#pragma once
/// Integrals of a density around its maxima, by draws that the ranks share. The bits are the same on any number of
/// ranks.

#include "estimator/spot/half_mass.hpp"
#include "parallel/communicator.hpp"
#include "path/bridge/joint_density.hpp"

#include <functional>
#include <span>
#include <vector>

namespace pearlite::algorithm {

class SpotIntegrals {
  public:
    SpotIntegrals(const parallel::Communicator& ranks, const model::DensityFunctions& density, const random::Seed& seed)
        : ranks_(ranks), density_(density), seed_(seed) {}

    /// Draws in an ellipsoid, d x draws_at_once, and the logs of their density.
    struct Draws {
        Matrix points;
        Vector log_q;
    };
    static constexpr Index draws_at_once = block_padding;
    /// The draws with the numbers first, first + 1, ...
    Draws draws_in(const estimator::HalfMass& ellipsoid, Index first) const;

    /// Collective. Z_E of each ellipsoid, with draws_of_spot draws.
    std::vector<estimator::SpotIntegral> within(std::span<const estimator::HalfMass> ellipsoids);
    /// Collective. Z_B of an ellipsoid by that many lines, at least 2.
    estimator::SpotIntegral beyond(const estimator::HalfMass& ellipsoid, Index lines);

    static constexpr Index draws_of_spot = 400;
    Index densities() const { return densities_; } ///< evaluated on all ranks

  private:
    /// Collective. `numbers_of(task)` has `each` numbers; all of them in the order of tasks, which ranks take in turn.
    std::vector<double> dealt(Index tasks, Index each,
                              const std::function<std::vector<double>(Index)>& numbers_of) const;

    const parallel::Communicator& ranks_;
    const model::DensityFunctions& density_;
    random::Seed seed_;
    Index densities_ = 0;
};

} // namespace pearlite::algorithm
