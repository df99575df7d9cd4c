#include "algorithm/smc/likelihood_noise.hpp"

#include "algorithm/common/streams.hpp"
#include "estimator/likelihood_cost.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

namespace {

constexpr double largest_sigma2 = 3; ///< for a verdict that rests on weights

/// The last steps that can be addressed: beyond those of any run.
constexpr std::uint32_t fresh_step(int k) {
    return std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(k);
}

} // namespace

std::vector<Diagnostic> noise_diagnostics(double sigma2, double tau, const std::optional<double>& standard_error,
                                          Index n_particles) {
    std::vector<Diagnostic> all{{"likelihood_log_variance", sigma2, {}},
                                {"schedule_tau", tau, {}},
                                {"ess_factor_of_estimating", std::exp(-tau * sigma2), {}}};
    if (standard_error) {
        const auto shares = estimator::noise_shares(*standard_error, sigma2, tau, n_particles);
        all.push_back({"annealing_standard_error", shares.annealing, {}});
        all.push_back({"likelihood_standard_error", shares.likelihood, {}});
    }
    return all;
}

void judge_noise(double sigma2, Outcome& outcome) {
    if (!(sigma2 > largest_sigma2))
        return;
    outcome.warnings.push_back(fmt::format(
        "the log of the likelihood's estimate has variance {:.3g} at the final particles, above {:g}: particles keep "
        "estimates that are too high, which the effective sample size of the weights, {:.0f}, does not show; estimate "
        "the "
        "likelihood more precisely",
        sigma2, largest_sigma2, outcome.ess));
    outcome.diagnostics.push_back({"ess_of_weights", outcome.ess, {}});
    outcome.ess = 0;
}

double likelihood_log_variance(const parallel::Communicator& ranks, const path::DensityPath& path,
                               const population::Generation& particles, const random::Seed& seed) {
    constexpr int repeats = 4;
    const auto& log_w = particles.log_weights();
    const double log_max = population::summarise(ranks, particles.layout(), log_w).log_max;
    population::BlockSums sums(2);
    parallel::together(ranks, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto& block = path::points_of(particles.block(b));
            Vector log_prior(block.padded_size()), log_likelihood(block.padded_size());
            std::vector<std::array<double, repeats>> estimates(static_cast<std::size_t>(block.size()));
            for (int k = 0; k < repeats; ++k) {
                auto streams = block_streams(particles, b, seed, 0);
                streams.step = fresh_step(k);
                path.evaluate(block, block.points, 1, log_prior, log_likelihood, streams);
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
                variance += w * (std::isnan(square) ? infinity : square);
            }
            sums.add(0, weight);
            sums.add(1, std::min(variance, std::numeric_limits<double>::max()));
        }
    });
    const auto total = sums.total(ranks);
    return total[1] / total[0];
}

} // namespace pearlite::algorithm
