#include "models/state_space/linear_gaussian.hpp"
#include "models/unbiasedness.hpp"
#include "statistical/likelihood_studies.hpp"
#include "statistical/record.hpp"
#include "statistical/replicates.hpp"
#include "statistical/scores.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>

namespace pearlite::calibration {

namespace {

using namespace models;

constexpr std::uint64_t study_seed = 1404;
constexpr double largest_z = 3;
/// Few time steps, so that ten particles give a likelihood whose mean can be measured.
constexpr Index n_observations = 20;

} // namespace

bool filter_study(const parallel::Communicator& ranks, Index effort) {
    constexpr LinearGaussianParameters theta{.mean = 0.5, .persistence = 0.8, .state_sd = 0.7, .noise_sd = 0.9};
    random::Stream data({study_seed, random::Purpose::synthetic_data, 0, 0});
    const auto y = simulate_linear_gaussian(theta, n_observations, data);
    const LinearGaussianProcess process(theta, y);
    const double exact = process.log_likelihood();
    const std::array names{"bootstrap", "auxiliary", "adapted"};
    const std::array kinds{FilterKind::bootstrap, FilterKind::auxiliary, FilterKind::adapted};
    bool good = true;
    if (ranks.is_root())
        fmt::print("{} observations, log p(y) = {:.4f} by the Kalman filter\n"
                   "| filter | particles | runs | mean of estimate / p(y) | z | mean log estimate - log p(y) | its "
                   "variance |\n|---|---|---|---|---|---|---|\n",
                   n_observations, exact);
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k)
        for (const Index particles : {10, 100, 1000}) {
            const Index runs = std::max<Index>(effort / particles, 100);
            const auto errors =
                column(rows_of(ranks, runs, random::derive_seed(study_seed, number++),
                               [&](random::Seed seed) {
                                   random::Stream stream({seed, random::Purpose::likelihood, 0, 0});
                                   const FilterSettings settings{.particles = particles, .kind = kinds[k]};
                                   return std::vector{run_filter(process, settings, stream).log_likelihood - exact};
                               }),
                       0);
            if (is_first_replicate())
                continue;
            std::vector<double> ratios;
            for (const double error : errors)
                ratios.push_back(std::exp(error));
            const auto ratio = moments(ratios), log_error = moments(errors);
            const double standard_error = ratio.sd / std::sqrt(static_cast<double>(runs));
            const double z = (ratio.mean - 1) / standard_error;
            // The wrong twin: the log estimates, as if they were unbiased. With a thousand particles it nearly is.
            const double twin = log_error.mean / (log_error.sd / std::sqrt(static_cast<double>(runs)));
            const bool ok = std::abs(z) < largest_z && (particles > 100 || std::abs(twin) > largest_z);
            good = good && ok;
            if (ranks.is_root()) {
                const auto cell = fmt::format("{}, {} particles", names[k], particles);
                record_figure(cell + ", z", z, -largest_z, largest_z);
                if (particles <= 100)
                    record_twin(cell + ", z of log estimates", twin, -largest_z, largest_z);
                fmt::print("| {} | {} | {} | {:.4f} ± {:.4f} | {:+.1f} | {:+.4f} | {:.4f} |{}\n", names[k], particles,
                           runs, ratio.mean, standard_error, z, log_error.mean, log_error.sd * log_error.sd,
                           ok ? "" : "   MISSED");
            }
            std::fflush(stdout);
        }
    return good;
}

} // namespace pearlite::calibration
