#pragma once
/// Draws from which an algorithm that works at the posterior itself makes its first proposal and its starts: the final
/// particles of a tempered pilot, or draws from the prior. They are thrown away afterwards.

#include "parallel/communicator.hpp"
#include "pearlite/path/detail/density_path.hpp"
#include "population/share.hpp"
#include "random/student_mixture.hpp"

#include <vector>

namespace pearlite::algorithm {

/// The draws, the same on every rank.
struct FirstDraws {
    Matrix points;                   ///< d x n
    std::vector<double> log_weights; ///< n

    template <class Fields>
    void fields(Fields& f) {
        f("points", points);
        f("log_weights", log_weights);
    }

    /// The weights relative to the largest.
    std::vector<double> weights() const;
    /// A mixture fitted to the draws; fewer components if the draws support no more.
    random::StudentMixture mixture(Index components, double df) const;
    /// The factor of a random walk scaled to the covariance of the draws.
    Matrix walk_factor() const;
    /// d x n, independent given the draws, from the addresses (seed, resample, chain).
    Matrix starts(Index n, std::uint64_t seed) const;
};

/// Collective. The points of a population's first generation.
FirstDraws draws_of(const parallel::Communicator& ranks, const population::Share& particles);

/// n draws from the start of a path with equal weights.
FirstDraws draws_from_prior(const path::DensityPath& path, Index n, std::uint64_t seed);

} // namespace pearlite::algorithm
