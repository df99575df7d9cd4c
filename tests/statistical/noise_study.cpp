#include "algorithm/densities.hpp"
#include "algorithm/work_models.hpp"
#include "core/log_space.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "statistical/likelihood_studies.hpp"
#include "statistical/record.hpp"
#include "statistical/replicates.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>

namespace pearlite::calibration {

namespace {

using namespace algorithm;
using namespace algorithm::testing;

constexpr std::uint64_t study_seed = 1402;
constexpr double largest_z = 3;
/// Trajectories of a replicate times steps.
constexpr Index trajectory_steps = 300'000;

/// ESS/M of M weights. In the limit of large M it is E[w]^2 / E[w^2], and as E[w^2] = E[w] E'[w], with E' over
/// trajectories annealed backwards from the exact posterior, it is E[w] / E'[w]: two means whose relative variances,
/// exp(tau s2) - 1, are far below that of the squared weights, exp(4 tau s2), which are hopeless where tau s2 = 4.
struct RelativeEss {
    double forward, limit;
};

RelativeEss relative_ess(double s2, Index steps, random::Seed seed) {
    const models::NoisyAnnealing model{
        models::NoisyLikelihood({.data = Vector{{1.3}}, .prior_sd = 1, .data_sd = 2, .noise_variance = s2})};
    const Index trajectories = trajectory_steps / steps;
    auto sampler = work_sampler(
        parallel::Communicator::alone(), model, path::linear_schedule(steps, 1),
        {.forward = trajectories, .reverse = trajectories, .block = 256, .seed = seed, .start = ReverseStart::exact});
    complete(sampler);
    const auto& forward = sampler.population().generation(0).log_weights();
    auto reverse = sampler.population().generation(1).log_weights(); // works, -log w
    std::vector<double> squares;
    for (const double lw : forward)
        squares.push_back(2 * lw);
    for (double& w : reverse)
        w = -w;
    const double log_mean = log_mean_exp(forward);
    return {std::exp(2 * log_mean - log_mean_exp(squares)), std::exp(log_mean - log_mean_exp(reverse))};
}

struct Ratio {
    double value, error;
    double z(double expected) const { return (value - expected) / error; }
};

Ratio mean_of(const std::vector<std::vector<double>>& rows, std::size_t k) {
    const MeanError mean(column(rows, k));
    return {mean.mean, mean.error};
}

} // namespace

bool noise_study(const parallel::Communicator& ranks, Index replicates) {
    bool good = true;
    if (ranks.is_root())
        fmt::print("noise_variance,steps,theory,measured,standard_error,z,forward_weights,forward_error,forward_z,"
                   "forward_judged,z_if_tau_were_1_over_T2,z_if_tau_were_1\n");
    std::uint64_t number = 0;
    for (const double s2 : {0.5, 1.0, 2.0, 4.0})
        for (const Index steps : {1, 5, 10, 50}) {
            const auto rows =
                rows_of(ranks, replicates, random::derive_seed(study_seed, number++), [&](random::Seed seed) {
                    const auto noisy = relative_ess(s2, steps, seed), exact = relative_ess(0, steps, seed);
                    return std::vector{noisy.limit / exact.limit, noisy.forward / exact.forward};
                });
            if (is_first_replicate())
                continue;
            const auto limit = mean_of(rows, 0), forward = mean_of(rows, 1);
            const auto t = static_cast<double>(steps);
            const double theory = std::exp(-s2 / t), squared = std::exp(-s2 / (t * t)), one = std::exp(-s2);
            // The squared forward weights have few effective terms where noise is strong: their mean is skewed.
            const bool forward_counts = std::exp(4 * s2 / t) < 1e-3 * static_cast<double>(trajectory_steps) / t;
            good = good && std::abs(limit.z(theory)) < largest_z;
            good = good && (!forward_counts || std::abs(forward.z(theory)) < largest_z);
            if (steps > 1) // at T = 1 all three are the same
                good = good && std::abs(limit.z(squared)) > 2 * largest_z && std::abs(limit.z(one)) > 2 * largest_z;
            if (ranks.is_root()) {
                const auto cell = fmt::format("noise variance {}, {} steps", s2, steps);
                record_figure(cell + ", z", limit.z(theory), -largest_z, largest_z);
                if (forward_counts)
                    record_figure(cell + ", z of forward weights", forward.z(theory), -largest_z, largest_z);
                if (steps > 1) {
                    record_twin(cell + ", z if tau were 1/T^2", limit.z(squared), -2 * largest_z, 2 * largest_z);
                    record_twin(cell + ", z if tau were 1", limit.z(one), -2 * largest_z, 2 * largest_z);
                }
                fmt::print("{},{},{:.5f},{:.5f},{:.5f},{:+.1f},{:.5f},{:.5f},{:+.1f},{},{:+.0f},{:+.0f}\n", s2, steps,
                           theory, limit.value, limit.error, limit.z(theory), forward.value, forward.error,
                           forward.z(theory), forward_counts ? "yes" : "no", limit.z(squared), limit.z(one));
            }
            std::fflush(stdout);
        }
    return good;
}

} // namespace pearlite::calibration
