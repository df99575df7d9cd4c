#pragma once
/// Likelihoods that can only be estimated (Tran, Strickland, Pitt & Kohn, "Annealed importance sampling for models with
/// latent variables").

#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/block_streams.hpp"

#include <concepts>
#include <optional>
#include <span>

namespace pearlite::model {

/// The purpose of the random numbers of estimates.
inline constexpr auto likelihood_draws = random::Purpose::likelihood;

/// In place of log_likelihood or evaluate:
///   estimate(points, streams, log_prior, log_likelihood)
/// for n = log_prior.size() points, the first n columns of points: the log prior, and the log of an unbiased,
/// nonnegative estimate of the likelihood (-inf for an estimate of zero) from random numbers at
/// streams.at(likelihood_draws, i) alone. If the log prior is -inf the likelihood need not be estimated. The
/// estimate of a point does not depend on n nor on its neighbours.
template <class D>
concept HasEstimatedLikelihood = requires(const D& density, const Matrix& points, const BlockStreams& streams,
                                          std::span<double> out) {
    density.estimate(points, streams, out, out);
};

/// Optional: the exact log likelihood of a point, for comparison (costly, by quadrature or a filter).
template <class D>
concept HasExactLikelihood = requires(const D& density, std::span<const double> x) {
    { density.exact_log_likelihood(x) } -> std::convertible_to<double>;
};

/// Optional: how precise estimates are, N particles or samples each. The command `tune` chooses N.
///   particles()          N
///   set_particles(N)     a density that is otherwise the same
/// and, if numbers up to the next multiple of one cost the same, `static constexpr Index particles_abreast`.
template <class D>
concept HasEstimatorSize = HasEstimatedLikelihood<D> && requires(D density, Index n) {
    { density.particles() } -> std::convertible_to<Index>;
    density.set_particles(n);
};

} // namespace pearlite::model
