#include "algorithm/densities.hpp"
#include "models/mixed_logistic/mixed_logistic.hpp"
#include "models/state_space/linear_gaussian.hpp"
#include "random/statistics.hpp"
#include "statistical/likelihood_studies.hpp"
#include "statistical/record.hpp"
#include "statistical/replicates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

namespace pearlite::calibration {

namespace {

using namespace algorithm;
using namespace algorithm::testing;
using model::Prior;

constexpr std::uint64_t study_seed = 1405;
/// Draws of each posterior: ranks from 0 to n_draws.
constexpr Index n_draws = 15;
/// Levels of the chi-square test of one parameter. With seven right parameters 0.7 % of all studies raise a false
/// alarm.
constexpr double false_alarm = 1e-3, twin_rejected = 1e-6;

/// The number of posterior draws below the true value, for each parameter. The draws are picked by weight; they are
/// nearly independent, since they are few among the particles.
template <class D>
std::vector<double> ranks_of(const D& density, std::span<const double> truth, random::Seed seed) {
    constexpr Index particles = 320, moves = 3;
    auto smc = smc_of(parallel::Communicator::alone(), path_of(density), path::AdaptiveSchedule{1, 0.9}, moves,
                      {particles, 16, seed});
    complete(smc);
    const auto& generation = smc.population().generation(0);
    std::vector<double> cumulated;
    for (const double lw : generation.log_weights())
        cumulated.push_back((cumulated.empty() ? 0 : cumulated.back()) + std::exp(lw - smc.log_ratio()));
    random::Stream stream({seed, random::Purpose::test, 0, 0});
    std::vector<double> ranks(truth.size());
    for (Index draw = 0; draw < n_draws; ++draw) {
        const double place = stream.uniform() * cumulated.back();
        const Index i = std::min<Index>(std::upper_bound(cumulated.begin(), cumulated.end(), place) - cumulated.begin(),
                                        particles - 1);
        for (std::size_t k = 0; k < truth.size(); ++k)
            ranks[k] +=
                path::points_of(generation.block(i / 16)).points(static_cast<Index>(k), i % 16) < truth[k] ? 1 : 0;
    }
    return ranks;
}

/// The priors that generate the data or, in the wrong twin, priors so wide that the likelihood dominates.
Prior normal(double sd, bool right) {
    return Prior::parse(fmt::format("normal(0, {})", right ? sd : 3 * sd));
}
Prior half_normal(double scale, bool right) {
    return Prior::parse(fmt::format("half-normal({})", right ? scale : 3 * scale));
}

Prior log_normal(double mean, double sd, bool right) {
    return Prior::parse(fmt::format("log-normal({}, {})", mean, right ? sd : 3 * sd));
}

/// Observations with hardly any noise would be too much for a bootstrap filter of 32 particles: its estimates of the
/// truth's likelihood would practically all be far too small, unbiased as they are.
models::LinearGaussian series(std::vector<double> observations, bool right) {
    return models::LinearGaussian({.observations = std::move(observations),
                                   .mean = normal(1, right),
                                   .persistence = Prior::parse(right ? "beta(8, 2, -1, 1)" : "uniform(-1, 1)"),
                                   .state_sd = log_normal(-0.5, 0.5, right),
                                   .noise_sd = log_normal(0, 0.5, right),
                                   .filter = {.particles = 32}});
}

std::vector<double> series_replicate(random::Seed seed, bool right) {
    random::Stream stream({seed, random::Purpose::synthetic_data, 0, 0});
    const auto from = series({0}, true);
    std::vector<double> truth(4);
    from.draw_prior(stream, truth);
    const auto natural = [&](Index k) { return from.parameters().natural(k, truth[static_cast<std::size_t>(k)]); };
    const auto y = models::simulate_linear_gaussian({natural(0), natural(1), natural(2), natural(3)}, 12, stream);
    return ranks_of(series(y, right), truth, seed);
}

/// 12 subjects with 5 responses each.
models::MixedLogistic mixed(const Vector& response, bool right) {
    models::MixedLogisticSettings settings;
    settings.names = {"intercept", "x"};
    settings.effect_names = {"intercept"};
    settings.design = Matrix::Ones(response.size(), 2);
    settings.effects_design = Matrix::Ones(response.size(), 1);
    for (Index row = 0; row < response.size(); ++row) {
        settings.subject.push_back(row / 5);
        settings.design(row, 1) = static_cast<double>(row % 5) / 2 - 1;
    }
    settings.response = response;
    settings.coefficient_priors = {normal(1.5, right)};
    settings.deviation_priors = {half_normal(1.5, right)};
    settings.samples = 8;
    return models::MixedLogistic(settings);
}

std::vector<double> mixed_replicate(random::Seed seed, bool right) {
    random::Stream stream({seed, random::Purpose::synthetic_data, 0, 0});
    Vector response = Vector::Zero(60);
    const auto from = mixed(response, true);
    std::vector<double> truth(3);
    from.draw_prior(stream, truth);
    const double deviation = from.parameters().natural(2, truth[2]);
    double effect = 0;
    for (Index row = 0; row < response.size(); ++row) {
        if (row % 5 == 0)
            effect = deviation * stream.normal();
        const double predictor = truth[0] + truth[1] * (static_cast<double>(row % 5) / 2 - 1) + effect;
        response(row) = stream.uniform() < 1 / (1 + std::exp(-predictor)) ? 1 : 0;
    }
    return ranks_of(mixed(response, right), truth, seed);
}

struct Problem {
    std::string name;
    std::vector<std::string> parameters;
    std::function<std::vector<double>(random::Seed seed, bool right)> run;
};

std::vector<Problem> problems() {
    return {{"linear Gaussian process, particle filter", series({0}, true).parameter_names(), series_replicate},
            {"mixed logistic regression, importance sampling", mixed(Vector::Zero(60), true).parameter_names(),
             mixed_replicate}};
}

/// How many of the values are 0, 1, .., n_draws.
std::vector<double> counts_of(const std::vector<double>& ranks) {
    std::vector<double> counts(static_cast<std::size_t>(n_draws) + 1);
    for (const double rank : ranks)
        ++counts[static_cast<std::size_t>(rank)];
    return counts;
}

} // namespace

bool rank_study(const parallel::Communicator& ranks, Index replicates) {
    bool good = true;
    if (ranks.is_root())
        fmt::print("model,prior,parameter,p_value,counts\n");
    const std::vector<double> uniform(static_cast<std::size_t>(n_draws) + 1, 1.0 / (n_draws + 1));
    std::uint64_t number = 0;
    for (const auto& problem : problems())
        for (const bool right : {true, false}) {
            const auto rows = rows_of(ranks, replicates, random::derive_seed(study_seed, number++),
                                      [&](random::Seed seed) { return problem.run(seed, right); });
            if (is_first_replicate())
                continue;
            double smallest = 1;
            for (std::size_t k = 0; k < problem.parameters.size(); ++k) {
                const auto counts = counts_of(column(rows, k));
                const double p = random::testing::chi_squared_p_value(counts, uniform);
                smallest = std::min(smallest, p);
                if (ranks.is_root())
                    fmt::print("\"{}\",{},{},{:.2g},{}\n", problem.name, right ? "right" : "wrong",
                               problem.parameters[k], p, fmt::join(counts, " "));
            }
            if (ranks.is_root())
                record_figure(fmt::format("{}, {} prior, least p", problem.name, right ? "right" : "wrong"), smallest,
                              right ? false_alarm : -no_limit, right ? no_limit : twin_rejected);
            good = good && (right ? smallest > false_alarm : smallest < twin_rejected);
            std::fflush(stdout);
        }
    return good;
}

} // namespace pearlite::calibration
