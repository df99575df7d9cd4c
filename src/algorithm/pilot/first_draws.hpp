#pragma once
/// First draws, for the first proposal and the starts of an algorithm that works at the posterior itself: the final
/// particles of a tempered pilot, or draws from the prior. They do not enter the results.

#include "pearlite/path/detail/density_path.hpp"
#include "population/shards.hpp"
#include "random/student_mixture.hpp"

#include <vector>

namespace pearlite::algorithm {

/// The draws, the same on every rank.
struct FirstDraws {
    Matrix points;                       ///< d x n
    std::vector<double> log_weights;     ///< n
    std::vector<double> log_priors = {}; ///< n, of the points as they were accepted; empty for draws from the prior
    std::vector<double> log_likelihoods = {}; ///< the same
    double families = 0; ///< effective number of families, 1/sum_e S_e^2 for shares S_e of the weight; 0: not known

    /// Whether the draws represent the posterior, so that other draws can be compared with them.
    bool are_of_posterior() const { return !log_likelihoods.empty(); }
    /// The weights relative to the largest.
    std::vector<double> weights() const;
    /// At most `wanted` components, of which each has draws enough for a mean and a covariance.
    Index supported_components(Index wanted) const;
    /// A mixture fitted to the draws; fewer components if the draws support no more.
    random::StudentMixture mixture(Index components, double df) const;
    /// The factor of a random walk scaled to the covariance of the draws.
    Matrix walk_factor() const;
    /// d x n, independent given the draws, from the addresses (seed, resample, chain).
    Matrix starts(Index n, const random::Seed& seed) const;
};

/// Collective. The points of a population's first generation.
FirstDraws draws_of(const parallel::Communicator& ranks, const population::Share& particles);

/// n draws from the start of a path with equal weights.
FirstDraws draws_from_prior(const path::DensityPath& path, Index n, const random::Seed& seed);

} // namespace pearlite::algorithm
