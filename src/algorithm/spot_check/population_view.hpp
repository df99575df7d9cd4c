#pragma once
/// The finished particles of a run as a spot check looks at them: points with weights, in families, whatever the
/// sampler was.

#include "algorithm/common/sampler.hpp"
#include "estimator/spot/comparison.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The particles of all replicates; or, where a sampler has recorded draws of chains, these draws, a chain being a
/// family.
class PopulationView {
  public:
    /// Collective. `renewals`: of each chain, states that came from the start of the path to its end, each as good as a
    /// family; 0 where there are none.
    PopulationView(const parallel::Communicator& ranks, const model::Target& target, const Found& found,
                   double renewals);

    /// Collective. `n` points drawn without replacement by their weights, d x n or fewer.
    Matrix starts(Index n, const random::Seed& seed) const;
    /// Collective. The share of the weight in each ellipsoid.
    estimator::SpotShares shares(std::span<const estimator::HalfMass> ellipsoids) const;

  private:
    /// Points of one replicate on this rank.
    struct Part {
        parallel::BlockLayout layout;
        std::optional<population::Share> particles; ///< that are looked at where they are
        Matrix draws;                               ///< else
        std::vector<double> log_weights;
        std::vector<std::int64_t> families;
        Index n_families = 0; ///< numbers of families on all ranks are 0 .. n_families - 1

        std::span<const double> point(Index local) const;
    };
    void add_particles(const Found& found, Index replicate);
    void add_draws(const model::Target& target, const Found& found, Index replicate);

    parallel::Communicator ranks_;
    Index dimension_;
    double renewals_;
    std::vector<Part> parts_;
    std::vector<double> shares_of_weight_; ///< of each replicate in Z
};

} // namespace pearlite::algorithm
