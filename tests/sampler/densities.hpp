#pragma once
/// Densities with known evidence, and runs of them.

#include "pearlite/core/log_space.hpp"
#include "pearlite/kernel/random_walk.hpp"
#include "pearlite/sampler/annealed_importance.hpp"
#include "pearlite/sampler/batches.hpp"
#include "pearlite/sampler/piloted.hpp"
#include "pearlite/sampler/smc.hpp"

#include <cmath>
#include <memory>

namespace pearlite::sampler::testing {

/// 50 successes of 100 under a Beta(a, a) prior: log evidence log B(50 + a, 50 + a) - log B(a, a).
struct BetaBernoulli {
    double a = 1;
    std::vector<std::string> parameter_names() const { return {"probability"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.beta(a, a); }
    double log_prior(std::span<const double> x) const {
        if (!(x[0] > 0 && x[0] < 1))
            return log_zero;
        return (a - 1) * (std::log(x[0]) + std::log1p(-x[0])) - 2 * std::lgamma(a) + std::lgamma(2 * a);
    }
    double log_likelihood(std::span<const double> x) const { return 50 * (std::log(x[0]) + std::log1p(-x[0])); }
    double exact_log_ratio() const {
        return 2 * std::lgamma(50 + a) - std::lgamma(100 + 2 * a) - 2 * std::lgamma(a) + std::lgamma(2 * a);
    }
};

/// Uniform on (0, 1) with a likelihood that is 0 below 0.4 and e^{-3x} above it.
struct Truncated {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 && x[0] < 1 ? 0 : log_zero; }
    double log_likelihood(std::span<const double> x) const { return x[0] < 0.4 ? log_zero : -3 * x[0]; }
    double exact_log_ratio() const { return std::log((std::exp(-1.2) - std::exp(-3.0)) / 3); }
};

template <class D>
using SmcOf = Smc<path::GeometricPath<D>, kernel::RandomWalk<D>>;
template <class D>
using AisOf = AnnealedImportance<path::GeometricPath<D>, kernel::RandomWalk<D>>;

template <class D>
std::shared_ptr<const path::GeometricPath<D>> path_of(const D& density) {
    return std::make_shared<const path::GeometricPath<D>>(density);
}

/// A pilot of `pilot_particles` under an adaptive schedule, then `batches` runs of S with what it found.
template <class S, class D, class Make>
Piloted<SmcOf<D>, Batches<S>> piloted(const parallel::Communicator& ranks, const D& density, Index pilot_particles,
                                      Index batches, std::uint64_t seed, Make make) {
    auto pilot = std::make_unique<SmcOf<D>>(
        ranks, path_of(density), AdaptiveSchedule{1, 0.9}, kernel::RandomWalk<D>(4),
        PopulationSettings{pilot_particles, 16, random::derive_seed(seed, 1u << 20)}, SmcSettings{});
    return {std::move(pilot), [=](const Tuning& tuning) {
                return std::make_unique<Batches<S>>(batches, seed, [=](std::uint64_t batch_seed) {
                    return make(path::Schedule(tuning.inverse_temperatures),
                                kernel::RandomWalk<D>(4, tuning.proposal_factors), batch_seed);
                });
            }};
}
template <class D>
auto piloted_smc(const parallel::Communicator& ranks, const D& density, Index particles, Index batches,
                 std::uint64_t seed, const SmcSettings& settings = {}) {
    return piloted<SmcOf<D>>(
        ranks, density, 200, batches, seed,
        [=](const path::Schedule& schedule, const kernel::RandomWalk<D>& kernel, std::uint64_t s) {
            return SmcOf<D>(ranks, path_of(density), schedule, kernel, {particles, 16, s}, settings);
        });
}
template <class D>
auto piloted_ais(const parallel::Communicator& ranks, const D& density, Index particles, Index batches,
                 std::uint64_t seed) {
    return piloted<AisOf<D>>(ranks, density, 200, batches, seed,
                             [=](const path::Schedule& schedule, const kernel::RandomWalk<D>& kernel, std::uint64_t s) {
                                 return AisOf<D>(ranks, path_of(density), schedule, kernel, {particles, 16, s});
                             });
}

template <class S>
void finish(S& sampler) {
    while (!sampler.finished())
        sampler.step();
}

/// (estimate - exact)/standard error of the headline.
inline double z_score(const Outcome& outcome, double exact) {
    const auto& headline = outcome.log_ratio.front();
    return (headline.value - exact) / headline.standard_error.value();
}

/// Mean and its standard error of independent values.
struct MeanError {
    double mean = 0, error = 0;
    explicit MeanError(const std::vector<double>& values) {
        const auto n = static_cast<double>(values.size());
        for (const double v : values)
            mean += v / n;
        for (const double v : values)
            error += (v - mean) * (v - mean) / (n * (n - 1));
        error = std::sqrt(error);
    }
    double z(double exact) const { return (mean - exact) / error; }
};

} // namespace pearlite::sampler::testing
