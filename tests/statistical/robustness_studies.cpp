// Tempered SMC, importance sampling squared and pseudo-marginal chains at an equal number of likelihood estimates, as
// these become noisier: a Gaussian model of four parameters with exact answers.
//
//     mpirun -n RANKS robustness_studies REPLICATES
//
// prints, against the variance of the log likelihood's estimate, what each says of its effective sample size, the one
// that its errors have (posterior variance / mean squared error of the posterior means over the replicates), and the
// error of the log evidence. Exit status 1 unless the weights of SMC keep half of the ESS that they have at the
// smallest variance, where those of the others lose all but a twentieth.
#include "algorithm/common/first_draws.hpp"
#include "algorithm/importance_squared/importance_squared.hpp"
#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"
#include "algorithm/smc/smc.hpp"
#include "kernel/density/random_walk.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "pearlite/path/tempered.hpp"
#include "statistical/replicates.hpp"
#include "statistical/scores.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace pearlite;

namespace {

using calibration::column;
using models::NoisyLikelihood;
using Path = std::shared_ptr<const path::Tempered>;

constexpr std::uint64_t study_seed = 52;
constexpr Index dimension = 4;
constexpr std::array variances{1.0, 2.0, 4.0, 6.0, 10.0};

NoisyLikelihood density_of(double noise_variance) {
    const Vector data = (Vector(dimension) << 0.4, -0.9, 1.3, 0.1).finished();
    return NoisyLikelihood({.data = data, .prior_sd = 1, .data_sd = 0.5, .noise_variance = noise_variance});
}

/// What a replicate found.
struct Found {
    double ess = 0;          ///< by its own account
    Vector mean;             ///< of the posterior
    double log_evidence = 0; ///< chains have none
    double estimates = 0;    ///< of likelihoods
    double longest_stay = 0; ///< of chains, iterations
    double r_hat = 0;

    std::vector<double> row() const {
        std::vector<double> row{ess, log_evidence, estimates, longest_stay, r_hat};
        row.insert(row.end(), mean.begin(), mean.end());
        return row;
    }
    static constexpr std::size_t means_from = 5;
};

void complete(algorithm::Sampler& sampler) {
    sampler.begin();
    while (!sampler.finished())
        sampler.step();
}

/// Weighted mean of a population on one rank.
Vector mean_of(population::Population& population) {
    const auto alone = parallel::Communicator::alone();
    const auto draws = algorithm::draws_of(alone, population::shares_of(alone, &population).front());
    const auto weights = draws.weights();
    const Eigen::Map<const Vector> w(weights.data(), draws.points.cols());
    return draws.points * w / w.sum();
}

/// 400 particles, 50 temperatures that are dense near the prior, 5 moves: 100 400 estimates.
Found by_smc(const Path& path, random::Seed seed) {
    std::vector<double> temperatures;
    for (int t = 0; t <= 50; ++t)
        temperatures.push_back(std::pow(t / 50.0, 1.5));
    algorithm::Smc smc(parallel::Communicator::alone(), path, path::Schedule(temperatures), kernel::RandomWalk(path, 5),
                       {400, 16, seed}, {});
    complete(smc);
    return {smc.trace().ess.back(),
            mean_of(smc.population()),
            smc.log_ratio(),
            static_cast<double>(smc.likelihood_estimates().value()),
            0,
            0};
}

/// Five rounds of 4000 from a mixture fitted to the prior, then 80 000: 100 000 estimates.
Found by_importance(const Path& path, random::Seed seed) {
    const auto first = algorithm::draws_from_prior(*path, 1024, seed);
    algorithm::ImportanceSquared importance(parallel::Communicator::alone(), path, first.mixture(3, 5),
                                            {80'000, 16, seed}, {4000, 5, 0.05});
    complete(importance);
    return {importance.trace().ess.back(),
            mean_of(importance.population()),
            importance.log_ratio(),
            static_cast<double>(importance.likelihood_estimates().value()),
            0,
            0};
}

/// Four chains from the prior of 25 000 iterations, a fifth of them burn-in: 100 004 estimates.
Found by_chains(const Path& path, random::Seed seed) {
    const auto first = algorithm::draws_from_prior(*path, 1024, seed);
    algorithm::PseudoMarginal chains(parallel::Communicator::alone(), path, first.starts(4, seed), first.walk_factor(),
                                     {4, 4, seed}, {25'000, 5'000, 5});
    complete(chains);
    const auto outcome = chains.chain_outcome();
    Found found{0, Vector(dimension), 0, static_cast<double>(chains.likelihood_estimates().value()), 0, 0};
    for (Index k = 0; k < dimension; ++k) {
        const auto& summary = outcome.summaries[static_cast<std::size_t>(k)];
        found.mean(k) = summary.posterior.mean;
        found.ess += summary.posterior.ess / dimension;
        found.r_hat = std::max(found.r_hat, summary.r_hat);
    }
    for (const auto stay : outcome.longest_stay)
        found.longest_stay = std::max(found.longest_stay, static_cast<double>(stay));
    return found;
}

struct Score {
    double own_ess = 0, ess = 0;
    double evidence_error = 0; ///< root mean squared, of the log
    double estimates = 0, longest_stay = 0;
    double unconverged = 0; ///< share of replicates with an R-hat above 1.01
};

Score score_of(const std::vector<std::vector<double>>& rows, const NoisyLikelihood& density) {
    Score score;
    double squared = 0;
    const auto n = static_cast<double>(rows.size());
    for (const auto& row : rows) {
        score.own_ess += row[0] / n;
        score.evidence_error += std::pow(row[1] - *density.exact_log_ratio(), 2) / n;
        score.estimates += row[2] / n;
        score.longest_stay += row[3] / n;
        score.unconverged += row[4] > 1.01 ? 1 / n : 0;
        for (Index k = 0; k < dimension; ++k)
            squared += std::pow((row[Found::means_from + static_cast<std::size_t>(k)] - density.tempered_mean(k, 1)) /
                                    density.tempered_sd(1),
                                2) /
                       (n * dimension);
    }
    score.ess = 1 / squared;
    score.evidence_error = std::sqrt(score.evidence_error);
    return score;
}

} // namespace

int main(int argc, char** argv) {
    parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const Index n = argc > 1 ? std::atol(argv[1]) : 0;
    if (argc > 2 || n < 2) {
        std::fputs("usage: robustness_studies REPLICATES   (2 or more)\n", stderr);
        return 2;
    }
    calibration::Table table({"variance", "SMC: ESS, said", "true", "error of log p(y)", "IS^2: ESS, said", "true",
                              "error of log p(y)", "chains: ESS, said", "true", "longest stay", "R-hat > 1.01",
                              "estimates each"});
    std::array<std::array<double, 3>, variances.size()> said{};
    for (std::size_t v = 0; v < variances.size(); ++v) {
        const auto density = density_of(variances[v]);
        const auto path = path::tempered(density);
        std::array<Score, 3> scores;
        const std::array algorithms{by_smc, by_importance, by_chains};
        for (std::size_t a = 0; a < 3; ++a) {
            scores[a] =
                score_of(calibration::rows_of(ranks, n, random::derive_seed(study_seed, 3 * v + a),
                                              [&](random::Seed seed) { return algorithms[a](path, seed).row(); }),
                         density);
            said[v][a] = scores[a].own_ess;
        }
        const auto& [smc, squared, chains] = scores;
        table.add({fmt::format("{:g}", variances[v]), fmt::format("{:.0f}", smc.own_ess),
                   fmt::format("{:.0f}", smc.ess), fmt::format("{:.3f}", smc.evidence_error),
                   fmt::format("{:.0f}", squared.own_ess), fmt::format("{:.0f}", squared.ess),
                   fmt::format("{:.3f}", squared.evidence_error), fmt::format("{:.0f}", chains.own_ess),
                   fmt::format("{:.0f}", chains.ess), fmt::format("{:.0f}", chains.longest_stay),
                   fmt::format("{:.0f} %", 100 * chains.unconverged),
                   fmt::format("{:.0f}, {:.0f}, {:.0f}", smc.estimates, squared.estimates, chains.estimates)});
    }
    if (ranks.is_root())
        std::printf("%s\n%ld replicates\n", table.text().c_str(), static_cast<long>(n));
    const auto kept = [&](std::size_t a) { return said.back()[a] / said.front()[a]; };
    return kept(0) > 0.5 && kept(1) < 0.05 && kept(2) < 0.05 ? 0 : 1;
}
