#include "algorithm/densities.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "statistical/likelihood_studies.hpp"
#include "statistical/replicates.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <limits>

namespace pearlite::calibration {

namespace {

using namespace algorithm;
using namespace algorithm::testing;
using models::NoisyLikelihood;
using population::Resampling;

constexpr std::uint64_t study_seed = 1403;
constexpr double not_offered = std::numeric_limits<double>::quiet_NaN();

NoisyLikelihood model() {
    return NoisyLikelihood({.data = Vector{{1.3, -0.4}}, .prior_sd = 2, .data_sd = 0.5, .noise_variance = 1});
}

/// A run's settings and what its intervals claim.
struct Way {
    std::string name;
    Resampling resampling = Resampling::systematic;
    Index particles = 1024;
    Index batches = 1;
    std::string method;       ///< of the product estimate's error
    bool conservative = true; ///< covers at least as often as it says
};

const std::vector<Way>& ways() {
    static const std::vector<Way> all{
        {.name = "one run, systematic (default)", .method = "chan-lai"},
        {.name = "one run, multinomial",
         .resampling = Resampling::multinomial,
         .method = "lee-whiteley",
         .conservative = false},
        {.name = "16 batches of 128, systematic",
         .particles = 128,
         .batches = 16,
         .method = "batches",
         .conservative = false},
    };
    return all;
}

/// As a user's run is by default: temperatures and proposals from the particles themselves.
Outcome run(const Way& way, std::uint64_t seed) {
    const auto path = path_of(model());
    const auto alone = parallel::Communicator::alone();
    Replicates sampler(alone, way.batches, seed, [&](const auto& ranks, std::uint64_t batch_seed) {
        return std::make_unique<Smc>(
            smc_of(ranks, path, AdaptiveSchedule{}, 5, {way.particles, 16, batch_seed}, {way.resampling, 0.5}));
    });
    complete(sampler);
    return sampler.outcome();
}

/// 1 or 0: the interval, shrunk about its value by `factor`, covers; NaN if there is none.
double covers(const estimator::Estimate& estimate, double factor = 1) {
    if (!estimate.interval95)
        return not_offered;
    const double exact = *model().exact_log_ratio();
    const double low = estimate.value + factor * (estimate.interval95->low - estimate.value);
    const double high = estimate.value + factor * (estimate.interval95->high - estimate.value);
    return low <= exact && exact <= high ? 1 : 0;
}

/// Of the values that are numbers.
double mean_of(const std::vector<double>& values) {
    double sum = 0, n = 0;
    for (const double value : values)
        if (!std::isnan(value)) {
            sum += value;
            ++n;
        }
    return sum / n;
}

/// 93 to 97 % at 1000 replicates, widened by four binomial standard errors for fewer; no upper limit for what is
/// conservative. A true 95 % misses at 1000 replicates in 0.4 % of all studies.
bool is_covering(double share, Index replicates, bool conservative) {
    const double slack = replicates >= 1000 ? 0 : 4 * std::sqrt(0.95 * 0.05 / static_cast<double>(replicates));
    return share >= 0.93 - slack && (conservative || share <= 0.97 + slack);
}

} // namespace

bool interval_study(const parallel::Communicator& ranks, Index replicates) {
    bool good = true;
    if (ranks.is_root())
        fmt::print("Coverage of 95 % intervals of log p(y), {} replicates\n"
                   "| run | error of the product | product | error by this method | error / sqrt 2 (wrong) | by "
                   "integration, corrected |\n"
                   "|---|---|---|---|---|---|\n",
                   replicates);
    std::uint64_t number = 0;
    for (const auto& way : ways()) {
        const auto rows =
            rows_of(ranks, replicates, random::derive_seed(study_seed, number++), [&](std::uint64_t seed) {
                const auto all = run(way, seed).log_ratio;
                const auto& product = all.front();
                return std::vector{covers(product), covers(product, 1 / std::sqrt(2)), covers(all.back()),
                                   product.interval95 && product.error_method == way.method ? 1.0 : 0.0};
            });
        const double product = mean_of(column(rows, 0)), twin = mean_of(column(rows, 1)),
                     corrected = mean_of(column(rows, 2)), offered = mean_of(column(rows, 3));
        bool ok = is_covering(product, replicates, way.conservative) && offered > 0.95;
        ok = ok && is_covering(corrected, replicates, way.batches == 1);
        ok = ok && !is_covering(twin, replicates, way.conservative);
        good = good && ok;
        if (ranks.is_root())
            fmt::print("| {} | {}{} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |{}\n", way.name, way.method,
                       way.conservative ? " (conservative)" : "", product, offered, twin, corrected,
                       ok ? "" : "   MISSED");
        std::fflush(stdout);
    }
    return good;
}

} // namespace pearlite::calibration
