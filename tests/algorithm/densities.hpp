#pragma once
/// Densities with known evidence, and runs of them.

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/pilot/piloted.hpp"
#include "algorithm/replicates/replicates.hpp"
#include "algorithm/smc/smc.hpp"
#include "core/log_space.hpp"
#include "kernel/density/random_walk.hpp"
#include "path/data_path.hpp"
#include "pearlite/path/tempered.hpp"
#include "support/mean_error.hpp"

#include <cmath>
#include <functional>
#include <memory>

namespace pearlite::algorithm::testing {

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

/// Uniform on (-10, 10)^d; half N(0, I), half N(0, sd^2 I) as likelihood: a narrow peak inside a wide one, Z = 20^-d
/// but for the tails.
struct Pedestal {
    Index d = 5;
    double sd = 0.1;
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names;
        for (Index k = 0; k < d; ++k)
            names.push_back("x" + std::to_string(k + 1));
        return names;
    }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = 10 * (2 * stream.uniform() - 1);
    }
    double log_prior(std::span<const double> x) const {
        const bool is_inside = std::ranges::all_of(x, [](double value) { return std::abs(value) < 10; });
        return is_inside ? -static_cast<double>(d) * std::log(20.0) : log_zero;
    }
    /// log of half a normal density.
    double log_half(std::span<const double> x, double scale) const {
        double sum = std::log(0.5);
        for (const double value : x)
            sum -= 0.5 * value * value / (scale * scale) + std::log(scale) + 0.9189385332046727;
        return sum;
    }
    double log_likelihood(std::span<const double> x) const { return log_add(log_half(x, 1), log_half(x, sd)); }
    double exact_log_ratio() const { return -static_cast<double>(d) * std::log(20.0); }
};
struct SlopedPedestal : Pedestal {
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        const double narrow = std::exp(log_half(x, sd) - log_likelihood(x));
        for (std::size_t k = 0; k < x.size(); ++k)
            gradient[k] = -b * x[k] * (1 - narrow + narrow / (sd * sd));
    }
};

/// The first estimate of that name.
inline const estimator::Estimate& estimate_of(const Outcome& outcome, const std::string& name) {
    for (const auto& estimate : outcome.log_ratio)
        if (estimate.estimator == name)
            return estimate;
    throw std::out_of_range("no estimate " + name);
}

template <class D>
std::shared_ptr<const path::Tempered> path_of(const D& density) {
    return path::tempered(density);
}

/// The path that adds the density's data points one by one.
template <class D>
std::shared_ptr<const path::DensityPath> data_path_of(const D& density) {
    return std::make_shared<const path::DataPath>(path_of(density));
}

/// Tempered SMC with `moves` moves of an adaptive random walk at each temperature.
inline Smc smc_of(const parallel::Communicator& ranks, const std::shared_ptr<const path::DensityPath>& path,
                  const path::Temperatures& schedule, Index moves, const PopulationSettings& settings,
                  const SmcSettings& smc_settings = {}) {
    return {ranks, path, schedule, kernel::RandomWalk(path, moves), settings, smc_settings};
}
inline AnnealedImportance ais_of(const parallel::Communicator& ranks,
                                 const std::shared_ptr<const path::DensityPath>& path, const path::Schedule& schedule,
                                 Index moves, const PopulationSettings& settings) {
    return {ranks, path, schedule, kernel::RandomWalk(path, moves), settings};
}

/// A replicate of the main run, with what the pilot found.
using MakeReplicate =
    std::function<std::unique_ptr<Sampler>(const parallel::Communicator& ranks, const path::Schedule& schedule,
                                           const kernel::RandomWalk& kernel, random::Seed seed)>;

/// A pilot of 200 particles under an adaptive schedule, then so many runs with what it found.
inline Piloted piloted(const parallel::Communicator& ranks, const std::shared_ptr<const path::DensityPath>& path,
                       Index replicates, random::Seed seed, const MakeReplicate& make) {
    auto pilot = std::make_unique<Smc>(smc_of(ranks, path, path::AdaptiveSchedule{1, 0.9}, 4,
                                              {200, 16, random::derive_seed(seed, std::uint64_t{1} << 20)}));
    return {ranks, std::move(pilot), [=](const Tuning& tuning) {
                return std::make_unique<Replicates>(
                    ranks, replicates, seed, [&](const auto& team, random::Seed replicate_seed) {
                        return make(team, path::Schedule(tuning.inverse_temperatures),
                                    kernel::RandomWalk(path, 4, tuning.kernel), replicate_seed);
                    });
            }};
}
template <class D>
Piloted piloted_smc(const parallel::Communicator& ranks, const D& density, Index particles, Index replicates,
                    random::Seed seed, const SmcSettings& settings = {}) {
    const auto path = path_of(density);
    return piloted(
        ranks, path, replicates, seed, [=](const auto& team, const auto& schedule, const auto& kernel, auto s) {
            return std::make_unique<Smc>(team, path, schedule, kernel, PopulationSettings{particles, 16, s}, settings);
        });
}
template <class D>
Piloted piloted_ais(const parallel::Communicator& ranks, const D& density, Index particles, Index replicates,
                    random::Seed seed) {
    const auto path = path_of(density);
    return piloted(ranks, path, replicates, seed,
                   [=](const auto& team, const auto& schedule, const auto& kernel, auto s) {
                       return std::make_unique<AnnealedImportance>(team, path, schedule, kernel,
                                                                   PopulationSettings{particles, 16, s});
                   });
}

template <class S>
void finish(S& sampler) {
    while (!sampler.finished())
        sampler.step();
}
/// From the draw of its start to its end.
template <class S>
void complete(S& sampler) {
    sampler.begin();
    finish(sampler);
}

/// (estimate - exact)/standard error of the headline.
inline double z_score(const Outcome& outcome, double exact) {
    const auto& headline = outcome.log_ratio.front();
    return (headline.value - exact) / headline.standard_error.value();
}

using testing_support::MeanError;

} // namespace pearlite::algorithm::testing
