// The self-adjusting bias of stochastic approximation annealing against quadrature: the mixture of 20 modes in the
// plane of Karagiannis et al. 2017, section 4.1. Replicates are spread over the ranks; tables are CSV. The figures of
// that section are sweeps, jobs/papers/search-4.1*.toml; this program has the comparisons with a verdict.
//
//     mpirun -n RANKS search_studies theta REPLICATES [ITERATIONS]
//
// prints the estimated log mass of every energy region for 1, 10 and 30 chains (figure 4.1a); exit status 1 unless 30
// chains are right within four standard errors plus `systematic` in every region.
//
//     mpirun -n RANKS search_studies efficiency REPLICATES [ITERATIONS]
//
// prints mean squared errors at equal cost, ITERATIONS / chains each, and their ratios to that of one chain (figure
// 4.1d), whose theory is chains^(gain power - 1); exit status 1 if more chains do not help at slowly falling gains. One
// chain alone makes no crossovers, so that slopes are fitted to two chains and more.
//
//     mpirun -n RANKS search_studies inference REPLICATES [ITERATIONS]
//
// prints expectations under the mixture from states with the weights exp(theta_J + U (1/tau - 1)); exit status 1 unless
// they are right within four standard errors.
#include "algorithm/search/stochastic_approximation.hpp"
#include "models/mixture/mode_mixture.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"
#include "statistical/record.hpp"
#include "statistical/replicates.hpp"
#include "statistical/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace pearlite;

namespace {

using calibration::column;
using calibration::Moments;
using Space = kernel::BoxSpace<models::ModeMixture>;

constexpr std::uint64_t study_seed = 41;

/// Liang & Wong 2001, table 1.
const models::ModeMixture& mixture() {
    static const models::ModeMixture model = [] {
        Matrix means(2, 20);
        means << 2.18, 8.67, 4.24, 8.41, 3.93, 3.25, 1.70, 4.59, 6.91, 6.87, //
            5.41, 2.70, 4.98, 1.14, 8.33, 4.93, 1.83, 2.26, 5.54, 1.69,      //
            5.76, 9.59, 8.48, 1.68, 8.82, 3.47, 0.50, 5.60, 5.81, 5.40,      //
            2.65, 7.88, 3.70, 2.39, 9.50, 1.50, 0.09, 0.31, 6.86, 8.11;
        return models::ModeMixture(means, 0.001);
    }();
    return model;
}

const model::EnergyPartition& partition() {
    static const auto regions = model::EnergyPartition::uniform(0, 9, 19);
    return regions;
}

/// The paper's settings; the temperature ends at 1.
algorithm::SearchSettings settings_of(Index chains, Index iterations, double gain_power, random::Seed seed) {
    algorithm::SearchSettings settings;
    settings.chains = chains;
    settings.iterations = iterations;
    settings.seed = seed;
    settings.temperature.high = 5;
    settings.temperature.low = 1 - 5 / std::sqrt(static_cast<double>(iterations));
    settings.gain = {100, gain_power};
    settings.lambda = 0;
    settings.partition = partition();
    settings.pilot_iterations = iterations / 20;
    return settings;
}

using Search = algorithm::StochasticApproximation;
Search search_of(const algorithm::SearchSettings& settings) {
    Search search(parallel::Communicator::alone(), model::space_of(Space(mixture())), settings);
    search.begin();
    return search;
}

std::vector<double> theta_of(Index chains, Index iterations, double gain_power, random::Seed seed) {
    Search search = search_of(settings_of(chains, iterations, gain_power, seed));
    while (!search.finished())
        search.iterate();
    return search.outcome().theta;
}

/// Averages of x, y, x^2 and y^2 over the second half of a search, with the theta that the first half has learnt.
constexpr std::size_t n_averages = 4;
std::vector<double> averages_of(Index chains, Index iterations, random::Seed seed) {
    auto settings = settings_of(chains, iterations, 0.55, seed);
    settings.average_from = iterations / 2;
    Search search = search_of(settings);
    while (!search.finished())
        search.iterate();
    const auto averages = search.outcome().averages;
    std::vector<double> values = averages.means;
    for (std::size_t k = 0; k < 2; ++k)
        values.push_back(averages.means[k] * averages.means[k] + averages.deviations[k] * averages.deviations[k]);
    return values;
}

std::array<double, n_averages> exact_averages() {
    const auto& model = mixture();
    const auto n = static_cast<double>(model.means().cols());
    return {model.means().row(0).mean(), model.means().row(1).mean(),
            model.means().row(0).squaredNorm() / n + model.variance(),
            model.means().row(1).squaredNorm() / n + model.variance()};
}

bool inference(const parallel::Communicator& ranks, Index replicates, Index iterations) {
    bool good = true;
    const std::array<const char*, n_averages> names{"x", "y", "x^2", "y^2"};
    const auto exact = exact_averages();
    if (ranks.is_root())
        fmt::print("chains,iterations,average,exact,mean,standard_deviation,standard_error,score,replicates\n");
    for (const Index chains : {1, 10, 30}) {
        const auto rows = calibration::rows_of(
            ranks, replicates, random::derive_seed(study_seed, 500 + static_cast<std::uint64_t>(chains)),
            [&](random::Seed seed) { return averages_of(chains, iterations, seed); });
        if (calibration::is_first_replicate())
            continue;
        for (std::size_t k = 0; k < n_averages; ++k) {
            const Moments m = calibration::moments(column(rows, k));
            const double standard_error = m.sd / std::sqrt(static_cast<double>(replicates));
            const double score = (m.mean - exact[k]) / standard_error;
            good = good && std::abs(score) <= 4;
            if (ranks.is_root())
                calibration::record_figure(fmt::format("{} chains, score of {}", chains, names[k]), score, -4, 4);
            if (ranks.is_root())
                fmt::print("{},{},{},{:.5f},{:.5f},{:.5f},{:.5f},{:.2f},{}\n", chains, iterations, names[k], exact[k],
                           m.mean, m.sd, standard_error, score, replicates);
        }
        std::fflush(stdout);
    }
    return good;
}

double square_error(const std::vector<double>& theta, const std::vector<double>& exact) {
    double sum = 0;
    for (std::size_t j = 0; j < theta.size(); ++j)
        sum += (theta[j] - exact[j]) * (theta[j] - exact[j]);
    return sum;
}

/// Systematic error allowed in a log mass: the regions' masses still lag behind the last temperatures.
constexpr double systematic = 0.05;

bool theta(const parallel::Communicator& ranks, Index replicates, Index iterations, const std::vector<double>& exact) {
    bool good = true;
    if (ranks.is_root())
        fmt::print("chains,region,energy_up_to,log_mass,mean,standard_deviation,standard_error,replicates\n");
    for (const Index chains : {1, 10, 30}) {
        const auto rows =
            calibration::rows_of(ranks, replicates, random::derive_seed(study_seed, static_cast<std::uint64_t>(chains)),
                                 [&](random::Seed seed) { return theta_of(chains, iterations, 0.55, seed); });
        if (calibration::is_first_replicate())
            continue;
        for (std::size_t j = 0; j < exact.size(); ++j) {
            const Moments m = calibration::moments(column(rows, j));
            const double standard_error = m.sd / std::sqrt(static_cast<double>(replicates));
            const double allowed = 4 * standard_error + systematic;
            const bool ok = std::abs(m.mean - exact[j]) <= allowed;
            if (ranks.is_root() && chains == 30)
                calibration::record_figure(fmt::format("30 chains, error of the log mass of region {}", j + 1),
                                           m.mean - exact[j], -allowed, allowed);
            good = good && (chains < 30 || ok);
            if (ranks.is_root())
                fmt::print("{},{},{},{:.5f},{:.5f},{:.5f},{:.5f},{}\n", chains, j + 1,
                           j < partition().points().size() ? partition().points()[j]
                                                           : std::numeric_limits<double>::infinity(),
                           exact[j], m.mean, m.sd, standard_error, replicates);
        }
        std::fflush(stdout);
    }
    return good;
}

constexpr std::array<double, 6> powers{0.55, 0.65, 0.75, 0.85, 0.95, 1};
constexpr std::array<Index, 6> populations{1, 2, 5, 10, 20, 30};

/// Collective. Squared errors of replicates.
std::vector<double> square_errors(const parallel::Communicator& ranks, Index replicates, Index chains, Index iterations,
                                  double power, const std::vector<double>& exact) {
    const auto number =
        static_cast<std::uint64_t>(std::lround(1000 * power)) * 1000 + static_cast<std::uint64_t>(chains);
    return column(calibration::rows_of(ranks, replicates, random::derive_seed(study_seed, number),
                                       [&](random::Seed seed) {
                                           return std::vector<double>{
                                               square_error(theta_of(chains, iterations, power, seed), exact)};
                                       }),
                  0);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// Slope of log y against log x by least squares.
double slope(std::span<const double> x, std::span<const double> y) {
    double sx = 0, sy = 0, sxy = 0, sxx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sx += std::log(x[i]);
        sy += std::log(y[i]);
        sxy += std::log(x[i]) * std::log(y[i]);
        sxx += std::log(x[i]) * std::log(x[i]);
    }
    const auto n = static_cast<double>(x.size());
    return (sxy - sx * sy / n) / (sxx - sx * sx / n);
}

bool efficiency(const parallel::Communicator& ranks, Index replicates, Index iterations,
                const std::vector<double>& exact) {
    bool good = true;
    if (ranks.is_root())
        fmt::print("gain_power,chains,iterations,mean_square_error,relative_efficiency,standard_error,"
                   "median_square_error,theory,slope,slope_of_medians,theory_slope,replicates\n");
    for (const double power : powers) {
        Moments alone;
        std::vector<double> sizes, means, medians;
        for (const Index chains : populations) {
            const auto errors = square_errors(ranks, replicates, chains, iterations / chains, power, exact);
            if (calibration::is_first_replicate())
                continue;
            const Moments m = calibration::moments(errors);
            if (chains == 1)
                alone = m;
            const auto n = static_cast<double>(replicates), size = static_cast<double>(chains);
            const double ratio = m.mean / alone.mean;
            const double spread =
                chains == 1 ? 0 : ratio * std::hypot(m.sd / m.mean, alone.sd / alone.mean) / std::sqrt(n);
            if (chains > 1) {
                sizes.push_back(size);
                means.push_back(m.mean);
                medians.push_back(median(errors));
            }
            const bool has_slope = sizes.size() > 1;
            if (ranks.is_root())
                fmt::print("{},{},{},{:.5g},{:.4f},{:.4f},{:.5g},{:.4f},{:.4f},{:.4f},{:.2f},{}\n", power, chains,
                           iterations / chains, m.mean, ratio, spread, median(errors), std::pow(size, power - 1),
                           has_slope ? slope(sizes, means) : 0, has_slope ? slope(sizes, medians) : 0, power - 1,
                           replicates);
            std::fflush(stdout);
        }
        if (power < 0.6 && !calibration::is_first_replicate()) {
            good = good && slope(sizes, medians) < -0.2;
            if (ranks.is_root())
                calibration::record_figure(fmt::format("gain power {}, slope of medians", power), slope(sizes, medians),
                                           -calibration::no_limit, -0.2);
        }
    }
    return good;
}

} // namespace

int main(int argc, char** argv) {
    const parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const std::string what = argc == 3 || argc == 4 ? argv[1] : "";
    const Index replicates = argc >= 3 ? std::atol(argv[2]) : 0, iterations = argc == 4 ? std::atol(argv[3]) : 1000000;
    if ((what != "theta" && what != "efficiency" && what != "inference") || replicates < 2 || iterations < 10000) {
        if (ranks.is_root())
            fmt::print(stderr, "usage: search_studies theta|efficiency|inference REPLICATES [ITERATIONS]\n"
                               "at least 2 replicates of 10000 iterations\n");
        return 2;
    }
    if (what == "inference")
        return inference(ranks, replicates, iterations) ? 0 : 1;
    const auto exact = mixture().log_region_masses(partition().points(), 1);
    if (calibration::is_first_replicate() && ranks.is_root())
        calibration::record_first("exact", exact);
    return (what == "theta" ? theta : efficiency)(ranks, replicates, iterations, exact) ? 0 : 1;
}
