/// Is the predicted number of particles the best one? Mixed logistic regression of the Ohio wheeze data with
/// informative priors, annealed from prior to posterior in two equal steps without resampling and with many moves
/// between, which nearly satisfies theorem 1 of Tran, Strickland, Pitt & Kohn. For each number of samples N of an
/// estimate the spread of independent batches gives the time for a given precision. The formula of section 3.4 predicts
/// the best N.
///
///     particle_numbers PASSES       a pass: 2 batches of 256 trajectories for each N

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/smc/smc.hpp"
#include "core/log_space.hpp"
#include "estimator/likelihood_cost.hpp"
#include "kernel/density/random_walk.hpp"
#include "models/mixed_logistic/mixed_logistic_design.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/path/tempered.hpp"
#include "statistical/scores.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>

namespace pearlite::calibration {
namespace {

using Path = std::shared_ptr<const path::Tempered>;

constexpr Index sizes[] = {8, 12, 16, 20, 24, 32, 40, 48, 64};
constexpr std::size_t n_sizes = std::size(sizes);
constexpr Index trajectories = 256, batches_a_pass = 2, moves = 10, block = 16;
const path::Schedule two_steps({0, 0.5, 1});

models::MixedLogistic wheeze(const char* data) {
    const auto table = io::read_csv(std::string(data) + "/bayes/ohio_wheeze.csv");
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    auto settings = models::ohio_wheeze(column("id"), column("resp"), column("age"), column("smoke")).settings;
    const auto prior = [](const char* text) { return model::Prior::parse(text); };
    // About the posterior under vague priors, twice as wide.
    settings.coefficient_priors = {prior("normal(-3.1, 0.4)"), prior("normal(-0.2, 0.15)"), prior("normal(0.4, 0.5)"),
                                   prior("normal(0.08, 0.25)")};
    settings.deviation_priors = {prior("log-normal(0.8, 0.18)")};
    return models::MixedLogistic(std::move(settings));
}

double processor_seconds() {
    timespec now;
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Results of a pilot with precise estimates, which all sizes share: proposals at a = 0.5, draws from the posterior and
/// its moments.
struct Pilot {
    Matrix factor;
    Matrix points; ///< d x 512
    Vector sd;
};
Pilot run_pilot(models::MixedLogistic density) {
    density.set_particles(64);
    const auto path = path::tempered(std::move(density));
    const Index d = path->dimension();
    algorithm::Smc smc(parallel::Communicator::alone(), path, path::Schedule({0, 0.05, 0.15, 0.3, 0.5, 1}),
                       kernel::RandomWalk(path, moves), {512, block, 1}, {});
    smc.begin();
    while (!smc.finished())
        smc.step();
    Pilot pilot;
    const Matrix learnt = smc.found().learnt(); // a row: moves, scale, mean, factor
    pilot.factor = learnt(4, 1) * learnt.row(4).tail(d * d).reshaped(d, d);
    const auto& particles = smc.population().generation(0);
    pilot.points.resize(d, particles.size());
    for (Index b = 0; b < particles.local_blocks(); ++b)
        pilot.points.middleCols(b * block, block) = path::points_of(particles.block(b)).points.leftCols(block);
    const Vector mean = pilot.points.rowwise().mean();
    pilot.sd = ((pilot.points.colwise() - mean).array().square().rowwise().mean()).sqrt();
    return pilot;
}

/// gamma^2 at draws from the posterior, of which the theory's average is one.
double gamma2_of(models::MixedLogistic density, const Matrix& points) {
    constexpr Index n = 64, repeats = 200, at = 16;
    density.set_particles(n);
    double sum = 0;
    std::vector<double> prior(at), likelihood(at);
    Matrix values(at, repeats);
    for (Index r = 0; r < repeats; ++r) {
        density.estimate(points.leftCols(at), {.seed = 2, .step = static_cast<std::uint32_t>(r)}, prior, likelihood);
        values.col(r) = Eigen::Map<const Vector>(likelihood.data(), at);
    }
    for (Index i = 0; i < at; ++i)
        sum += (values.row(i).array() - values.row(i).mean()).square().sum() / (repeats - 1);
    return n * sum / at;
}

/// One batch: log Z and posterior means, and the sums of weights for the effective sample size.
struct Batch {
    double log_z;
    Vector means;
};

/// Measurements for one N.
struct Size {
    std::vector<Batch> batches;
    std::vector<double> log_weights;
    std::vector<double> seconds_of_estimate, seconds_of_trajectory; ///< a value each pass
};

void run_pass(const Path& path, const Pilot& pilot, random::Seed seed, Size& size) {
    const double begin = processor_seconds();
    algorithm::AnnealedImportance ais(parallel::Communicator::alone(), path, two_steps,
                                      kernel::RandomWalk::constant(path, moves, pilot.factor),
                                      {batches_a_pass * trajectories, block, seed});
    ais.begin();
    while (!ais.finished())
        ais.step();
    const Index n = batches_a_pass * trajectories;
    size.seconds_of_trajectory.push_back((processor_seconds() - begin) / static_cast<double>(n));
    const auto& particles = ais.population().generation(0);
    const auto& log_w = particles.log_weights();
    size.log_weights.insert(size.log_weights.end(), log_w.begin(), log_w.end());
    for (Index first = 0; first < n; first += trajectories) {
        const std::span<const double> of_batch(log_w.data() + first, trajectories);
        Batch batch{log_mean_exp(of_batch), Vector::Zero(pilot.sd.size())};
        for (Index i = 0; i < trajectories; ++i) {
            const Index slot = first + i;
            const double weight = std::exp(of_batch[static_cast<std::size_t>(i)] - batch.log_z) / trajectories;
            batch.means += weight * path::points_of(particles.block(slot / block)).points.col(slot % block);
        }
        size.batches.push_back(std::move(batch));
    }
}

/// Variances over batches, times the trajectories of one: of log Z, and of the posterior means in units of the
/// posterior variance, averaged over parameters; the latter also from the effective sample size (eq. 13).
struct Precision {
    double log_z, means, ess;
};
Precision precision_of(const Size& size, const Vector& sd, std::size_t left_out, std::size_t n_groups) {
    std::vector<double> log_z;
    Matrix means(sd.size(), 0);
    double sum = 0, squares = 0;
    const double shift = *std::max_element(size.log_weights.begin(), size.log_weights.end());
    for (std::size_t b = 0; b < size.batches.size(); ++b) {
        if (b % n_groups == left_out)
            continue;
        log_z.push_back(size.batches[b].log_z);
        means.conservativeResize(Eigen::NoChange, means.cols() + 1);
        means.rightCols(1) = size.batches[b].means;
        for (std::size_t i = b * trajectories; i < (b + 1) * trajectories; ++i) {
            const double w = std::exp(size.log_weights[i] - shift);
            sum += w;
            squares += w * w;
        }
    }
    const Moments of_log_z = moments(log_z);
    const auto n = static_cast<double>(log_z.size());
    const Vector centre = means.rowwise().mean();
    const Vector variance = (means.colwise() - centre).array().square().rowwise().sum() / (n - 1);
    return {trajectories * of_log_z.sd * of_log_z.sd, trajectories * (variance.array() / sd.array().square()).mean(),
            n * trajectories * squares / (sum * sum)};
}

/// Cost over N as exp(beta/N) (N + overhead) up to a factor, the theory's form with the exponent left free, fitted to
/// logarithms by least squares; its minimum.
struct Fit {
    double beta, best, log_least;
};
Fit fit_cost(const std::array<double, n_sizes>& log_cost, const std::array<double, n_sizes>& error, double overhead) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    for (std::size_t k = 0; k < n_sizes; ++k) {
        const auto n = static_cast<double>(sizes[k]);
        const double x = 1 / n, y = log_cost[k] - std::log(n + overhead), weight = 1 / (error[k] * error[k]);
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
    }
    const double beta = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    // d/dN: beta / N^2 = 1 / (N + overhead).
    const double best = 0.5 * (beta + std::sqrt(beta * beta + 4 * beta * overhead));
    return {beta, best, (wy - beta * wx) / w + beta / best + std::log(best + overhead)};
}

/// log of what `precision` picks times the time, at every N.
template <class Pick>
std::array<double, n_sizes> log_costs(const std::array<Size, n_sizes>& all, const Vector& sd,
                                      const std::array<double, n_sizes>& seconds, std::size_t left_out,
                                      std::size_t n_groups, Pick pick) {
    std::array<double, n_sizes> costs;
    for (std::size_t k = 0; k < n_sizes; ++k)
        costs[k] = std::log(pick(precision_of(all[k], sd, left_out, n_groups)) * seconds[k]);
    return costs;
}

constexpr std::size_t n_groups = 8, none = n_groups; ///< of the jackknife

struct Curve {
    std::array<double, n_sizes> log_cost, error;
    Fit fit;
    double log_best_error;
};
template <class Pick>
Curve curve_of(const std::array<Size, n_sizes>& all, const Vector& sd, const std::array<double, n_sizes>& seconds,
               double overhead, Pick pick) {
    Curve curve{log_costs(all, sd, seconds, none, n_groups, pick), {}, {}, 0};
    std::vector<std::array<double, n_sizes>> without;
    for (std::size_t g = 0; g < n_groups; ++g)
        without.push_back(log_costs(all, sd, seconds, g, n_groups, pick));
    const double scale = (n_groups - 1.0) / n_groups;
    for (std::size_t k = 0; k < n_sizes; ++k) {
        double squares = 0;
        for (const auto& costs : without)
            squares += (costs[k] - curve.log_cost[k]) * (costs[k] - curve.log_cost[k]);
        curve.error[k] = std::sqrt(scale * squares);
    }
    curve.fit = fit_cost(curve.log_cost, curve.error, overhead);
    double squares = 0;
    for (const auto& costs : without)
        squares += std::pow(std::log(fit_cost(costs, curve.error, overhead).best / curve.fit.best), 2);
    curve.log_best_error = std::sqrt(scale * squares);
    return curve;
}

/// Prints the results of all passes so far and returns the exit status.
int report(const std::array<Size, n_sizes>& all, const Pilot& pilot, double gamma2) {
    // A trajectory makes an estimate at the start and for every move; its other costs are small.
    std::array<double, n_sizes> measured, fitted;
    std::vector<double> n, times;
    for (std::size_t k = 0; k < n_sizes; ++k) {
        measured[k] = median(all[k].seconds_of_trajectory);
        n.push_back(static_cast<double>(sizes[k]));
        times.push_back(measured[k] / (moves + 1));
    }
    const auto line = estimator::fit_time(n, times);
    for (std::size_t k = 0; k < n_sizes; ++k)
        fitted[k] = line.at(n[k]);
    const estimator::LikelihoodCost cost{gamma2, line.base, line.per_particle,
                                         estimator::noise_factor(two_steps.points())};
    const double predicted = cost.particles(cost.optimal_variance()), overhead = line.base / line.per_particle;

    const auto by_means = [](const Precision& p) { return p.means; };
    const auto by_log_z = [](const Precision& p) { return p.log_z; };
    const auto by_ess = [](const Precision& p) { return p.ess; };
    const std::array<Curve, 4> curves{
        curve_of(all, pilot.sd, measured, overhead, by_means), curve_of(all, pilot.sd, fitted, overhead, by_means),
        curve_of(all, pilot.sd, fitted, overhead, by_ess), curve_of(all, pilot.sd, fitted, overhead, by_log_z)};
    Table table({"N", "variance of the log estimate", "us, one estimate", "cost, predicted", "means, measured time",
                 "means, tau_0 + tau_1 N", "ESS, tau_0 + tau_1 N", "log Z, tau_0 + tau_1 N"});
    for (std::size_t k = 0; k < n_sizes; ++k) {
        const double variance = cost.gamma2 / n[k];
        std::vector<std::string> row{fmt::format("{}", sizes[k]), fmt::format("{:.2f}", variance),
                                     fmt::format("{:.1f}", 1e6 * times[k]),
                                     fmt::format("{:.3f}", cost.at(variance) / cost.at(cost.optimal_variance()))};
        for (const auto& curve : curves) {
            // Relative to the least of the fitted curve, as the prediction is to its own.
            const double relative = std::exp(curve.log_cost[k] - curve.fit.log_least);
            row.push_back(fmt::format("{:.3f} ± {:.3f}", relative, curve.error[k] * relative));
        }
        table.add(std::move(row));
    }
    std::fputs(table.text().c_str(), stdout);
    fmt::print(
        "\n{} batches of {} trajectories at each N; gamma^2 = {:.2f}, time = {:.3g} + {:.3g} N seconds (within {:.0f} "
        "%), tau = {:.3g}\npredicted: N = {:.1f}, variance {:.3f}, exponent tau gamma^2 = {:.2f}\n",
        all[0].batches.size(), trajectories, cost.gamma2, line.base, line.per_particle,
        100 * line.largest_relative_residual, cost.schedule_tau, predicted, cost.optimal_variance(),
        cost.schedule_tau * cost.gamma2);
    bool good = true;
    const char* names[] = {"means, measured time", "means, tau_0 + tau_1 N", "ESS, tau_0 + tau_1 N",
                           "log Z, tau_0 + tau_1 N"};
    for (std::size_t c = 0; c < curves.size(); ++c) {
        const auto lowest = std::min_element(curves[c].log_cost.begin(), curves[c].log_cost.end());
        const double ratio = curves[c].fit.best / predicted;
        fmt::print(
            "{}: least measured at N = {}; fitted minimum {:.1f} (times or over {:.2f}), exponent {:.2f}: {:.2f} of "
            "the predicted N\n",
            names[c], sizes[lowest - curves[c].log_cost.begin()], curves[c].fit.best,
            std::exp(curves[c].log_best_error), curves[c].fit.beta, ratio);
        // Theorem 1 is about means; the variance of log Z is (1 + c) exp(tau s2) - 1, which is less steep.
        good = good && (c + 1 == curves.size() || (ratio > 1 / 1.5 && ratio < 1.5));
    }
    // The wrong twin: the optimum without overhead, 1/tau, must not pass for the right one.
    const double wrong = cost.particles(1 / cost.schedule_tau), ratio = curves[1].fit.best / wrong;
    const bool rejected = !(ratio > 1 / 1.5 && ratio < 1.5);
    fmt::print("without overhead (wrong here): N = {:.1f}, {:.2f} of it: {}\n", wrong, ratio,
               rejected ? "rejected" : "NOT rejected");
    return good && rejected ? 0 : 1;
}

int study(const char* data, Index passes) {
    models::MixedLogistic density = wheeze(data);
    const Pilot pilot = run_pilot(density);
    const double gamma2 = gamma2_of(density, pilot.points);
    std::array<Size, n_sizes> all;
    std::array<Path, n_sizes> paths;
    for (std::size_t k = 0; k < n_sizes; ++k) {
        density.set_particles(sizes[k]);
        paths[k] = path::tempered(density);
    }
    for (Index pass = 1;; ++pass) {
        for (std::size_t k = 0; k < n_sizes; ++k)
            run_pass(paths[k], pilot, random::derive_seed(3, static_cast<std::uint64_t>(pass) * n_sizes + k), all[k]);
        if (pass == passes)
            return report(all, pilot, gamma2);
        if (pass >= 8 && (pass & (pass - 1)) == 0) { // a long study shows how it stands
            report(all, pilot, gamma2);
            std::fflush(stdout);
        }
    }
}

} // namespace
} // namespace pearlite::calibration

int main(int argc, char** argv) {
    const char* data = std::getenv("PEARLITE_DATA_DIR");
    if (data == nullptr || *data == '\0') {
        std::puts("skipped: PEARLITE_DATA_DIR is not set");
        return 77;
    }
    return pearlite::calibration::study(data, argc > 1 ? std::atol(argv[1]) : 40);
}
