#pragma once
/// How much of an evidence's error comes from estimating the likelihood, and how much from annealing (Tran, Strickland,
/// Pitt & Kohn, section 3.3).

#include "pearlite/model/estimated_likelihood.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/geometric.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/population/generation.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace pearlite::sampler {

/// tau = sum_t (a_t - a_{t-1})^2 of theorem 1.
double noise_factor(const path::Schedule& schedule);

/// Splits the relative variance of Z by theorem 1: M times it is (1 + c) exp(tau sigma^2) - 1, where c M^{-1} would be
/// left with exact likelihoods. sigma^2: the variance of the log estimate.
struct NoiseShares {
    double annealing = 0, likelihood = 0; ///< standard errors whose squares add up
};
NoiseShares noise_shares(double standard_error, double sigma2, double tau, Index n_particles);

/// What a run reports: sigma^2, tau, the factor exp(-tau sigma^2) that estimating costs in ESS, and the two standard
/// errors if the evidence has one.
std::vector<Diagnostic> noise_diagnostics(double sigma2, double tau, const std::optional<double>& standard_error,
                                          Index n_particles);

namespace detail {
/// The last steps that can be addressed: beyond those of any run.
constexpr std::uint32_t fresh_step(int k) {
    return std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(k);
}
} // namespace detail

/// Collective. sigma^2 at the final particles: the variance of `repeats` fresh estimates of each one's log likelihood,
/// averaged with the weights. +inf if an estimate is zero where it matters.
template <class D>
double likelihood_log_variance(const parallel::Communicator& ranks, const path::GeometricPath<D>& model,
                               const population::Generation<model::DensityBlock>& particles, std::uint64_t seed) {
    constexpr int repeats = 4;
    const auto& log_w = particles.log_weights();
    const double log_max = population::summarise(ranks, particles.layout(), log_w).log_max;
    population::BlockSums sums(2);
    parallel::together(ranks, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto& block = particles.block(b);
            Vector log_prior(block.padded_size()), log_likelihood(block.padded_size());
            std::vector<std::array<double, repeats>> estimates(static_cast<std::size_t>(block.size()));
            for (int k = 0; k < repeats; ++k) {
                auto streams = block_streams(particles, b, seed, 0);
                streams.step = detail::fresh_step(k);
                model.evaluate(block, block.points, log_prior, log_likelihood, streams);
                for (Index i = 0; i < block.size(); ++i)
                    estimates[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = log_likelihood(i);
            }
            const auto log_weights = particles.of_block(log_w, b);
            double weight = 0, variance = 0;
            for (std::size_t i = 0; i < estimates.size(); ++i) {
                const double w = std::exp(log_weights[i] - log_max);
                if (w == 0)
                    continue;
                double mean = 0, square = 0;
                for (const double z : estimates[i])
                    mean += z / repeats;
                for (const double z : estimates[i])
                    square += (z - mean) * (z - mean) / (repeats - 1);
                weight += w;
                variance += w * (std::isnan(square) ? std::numeric_limits<double>::infinity() : square);
            }
            sums.add(0, weight);
            sums.add(1, std::min(variance, std::numeric_limits<double>::max()));
        }
    });
    const auto total = sums.total(ranks);
    return total[1] / total[0];
}

} // namespace pearlite::sampler
