#pragma once
/// Draws from which an algorithm that works at the posterior itself makes its first proposal and its starts: the final
/// particles of a tempered pilot, or draws from the prior. They are thrown away afterwards.

#include "pearlite/kernel/proposal.hpp"
#include "pearlite/kernel/student_mixture.hpp"
#include "pearlite/model/density_block.hpp"
#include "pearlite/parallel/communicator.hpp"
#include "pearlite/path/geometric.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/random/stream.hpp"

#include <vector>

namespace pearlite::sampler {

/// The same on every rank.
struct FirstDraws {
    Matrix points;                   ///< d x n
    std::vector<double> log_weights; ///< n

    template <class Fields>
    void fields(Fields& f) {
        f("points", points);
        f("log_weights", log_weights);
    }

    /// Relative to the largest.
    std::vector<double> weights() const;
    /// A fit to them; fewer components if they support no more.
    kernel::StudentMixture mixture(Index components, double df) const;
    /// Of a random walk scaled to their covariance.
    Matrix walk_factor() const;
    /// d x n, independent given the draws, from the addresses (seed, resample, chain).
    Matrix starts(Index n, std::uint64_t seed) const;
};

/// Collective. Of a population of points.
FirstDraws draws_of(const parallel::Communicator& ranks, population::Population<model::DensityBlock>& population,
                    Index dimension);

/// n draws from the prior with equal weights.
template <class D>
FirstDraws draws_from_prior(const path::GeometricPath<D>& model, Index n, std::uint64_t seed) {
    FirstDraws draws{Matrix(model.dimension(), n), std::vector<double>(static_cast<std::size_t>(n), 0.0)};
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({seed, random::Purpose::start, static_cast<std::uint64_t>(i), 0});
        model.density().draw_prior(stream, {draws.points.col(i).data(), static_cast<std::size_t>(model.dimension())});
    }
    return draws;
}

} // namespace pearlite::sampler
