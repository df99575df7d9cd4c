// Nonequilibrium evidence on problems with known answers, replicate by replicate, spread over the ranks.
//
//     mpirun -n RANKS work_studies REPLICATES
//
// prints how often 95 % intervals cover the truth, and verdicts; exit status 1 if a figure misses its limits.
#include "algorithm/densities.hpp"
#include "algorithm/work_models.hpp"
#include "models/lattice/ising.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/core/error.hpp"
#include "statistical/record.hpp"
#include "statistical/replicates.hpp"
#include "statistical/scores.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>

using namespace pearlite;
using namespace pearlite::algorithm;
using namespace pearlite::algorithm::testing;

namespace {

using calibration::column;
using calibration::rows_of;

constexpr std::uint64_t study_seed = 2017;

path::Schedule toy_schedule(Index steps) {
    std::vector<double> points;
    for (Index k = 0; k <= steps; ++k)
        points.push_back((std::pow(100, static_cast<double>(k) / static_cast<double>(steps)) - 1) / 99);
    points.back() = 1;
    return path::Schedule(points);
}

template <class M>
Outcome run_alone(const M& model, const path::Schedule& schedule, const NonequilibriumSettings& settings) {
    auto sampler = work_sampler(parallel::Communicator::alone(), model, schedule, settings);
    complete(sampler);
    return sampler.outcome();
}

Outcome toy(Index steps, Index trajectories, random::Seed seed) {
    return run_alone(ReversibleArGaussian(ReversibleArGaussian::Settings{}), toy_schedule(steps),
                     {.forward = trajectories, .reverse = trajectories, .seed = seed, .start = ReverseStart::exact});
}

/// A problem whose intervals are judged.
struct Problem {
    std::string name;
    double exact;
    bool good_overlap;
    std::function<Outcome(random::Seed seed)> run;
};

std::vector<Problem> problems() {
    const double toy_exact = -std::log(10);
    using Update = models::IsingSettings::Update;
    const auto ising = [](Index size, double end, Index steps, Update update) {
        return [=](random::Seed seed) {
            return run_alone(
                models::Ising({.size = size, .move = models::IsingSettings::Move::heat_bath, .update = update}),
                path::linear_schedule(steps, end),
                {.forward = 512,
                 .reverse = 512,
                 .block = 512,
                 .seed = seed,
                 .start = ReverseStart::mode,
                 .equilibration = 200});
        };
    };
    const double ising_exact = *models::Ising({.size = 8}).exact_log_ratio(0.44);
    return {
        {"Gaussian toy, K 50, M 100", toy_exact, true, [](random::Seed seed) { return toy(50, 100, seed); }},
        {"Gaussian toy, K 20, M 1000", toy_exact, true, [](random::Seed seed) { return toy(20, 1000, seed); }},
        // A block of 512 chains, all of which visit the same sites.
        {"Ising 8x8, random sites, K 100, M 512", ising_exact, true, ising(8, 0.44, 100, Update::random_site)},
        {"Ising 8x8, sweeps, K 30, M 512", ising_exact, true, ising(8, 0.44, 30, Update::sweep)},
        {"Gaussian toy, K 3, M 100", toy_exact, false, [](random::Seed seed) { return toy(3, 100, seed); }},
        {"Ising 16x16, b 1, K 20, M 512", *models::Ising({.size = 16}).exact_log_ratio(1), false,
         ising(16, 1, 20, Update::sweep)},
    };
}

constexpr double not_offered = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::pair<std::string, std::string>> intervals{
    {"bar", ""}, {"bar", "bootstrap"}, {"histogram", ""}, {"jarzynski-forward", ""}, {"jarzynski-reverse", ""}};

/// 1 or 0: the interval covers; NaN if there is none. The interval is widened by `factor` about the value.
double covers(const Outcome& outcome, const std::pair<std::string, std::string>& which, double exact, double factor) {
    for (const auto& e : outcome.log_ratio) {
        const bool is_bootstrap = e.error_method == "bootstrap";
        if (e.estimator != which.first || is_bootstrap != (which.second == "bootstrap"))
            continue;
        if (!e.interval95)
            return not_offered;
        const double low = e.value + factor * (e.interval95->low - e.value);
        const double high = e.value + factor * (e.interval95->high - e.value);
        return low <= exact && exact <= high ? 1 : 0;
    }
    return not_offered;
}

/// All estimates of a replicate.
void record(const Problem& problem, const Outcome& outcome) {
    calibration::record_first(problem.name, std::array{problem.exact});
    for (const auto& e : outcome.log_ratio) {
        const auto interval = e.interval95.value_or(estimator::Interval{not_offered, not_offered});
        calibration::record_first(
            problem.name, std::array{e.value, e.standard_error.value_or(not_offered), interval.low, interval.high},
            {e.estimator, e.error_method, outcome.verdict});
    }
}

/// Limits of the acceptance at `n` replicates: 93-97 % at 1000, widened by four binomial standard errors for fewer.
estimator::Interval limits_of_coverage(double n) {
    const double slack = n >= 1000 ? 0 : 4 * std::sqrt(0.95 * 0.05 / n);
    return {0.93 - slack, 0.97 + slack};
}

bool is_covering(double fraction, double n) {
    const auto limits = limits_of_coverage(n);
    return fraction >= limits.low && fraction <= limits.high;
}

/// The judged figures of a problem, which are fractions.
void record_judged(const Problem& problem, const std::vector<double>& fractions, double n) {
    using calibration::no_limit;
    const std::size_t twin = intervals.size(), agree = twin + 1;
    const auto limits = limits_of_coverage(n);
    for (std::size_t k = 0; problem.good_overlap && k < 3; ++k)
        calibration::record_figure(
            fmt::format("{}, coverage, {} {}", problem.name, intervals[k].first, intervals[k].second), fractions[k],
            limits.low, limits.high);
    if (problem.good_overlap)
        calibration::record_twin(problem.name + ", coverage, bar x 1/sqrt 2", fractions[twin], limits.low, limits.high);
    calibration::record_figure(problem.name + ", share of agreement", fractions[agree],
                               problem.good_overlap ? 0.95 : -no_limit, problem.good_overlap ? no_limit : 0.05);
}

bool coverage(const parallel::Communicator& ranks, Index replicates) {
    bool good = true;
    std::uint64_t number = 100;
    if (ranks.is_root()) {
        fmt::print("Coverage of 95 % intervals, {} replicates\n{:<38}", replicates, "");
        for (const auto& [name, method] : intervals)
            fmt::print(" {:>20}", method.empty() ? name : name + " " + method);
        fmt::print("   bar x 1/sqrt 2   agree  poor overlap  too fast  other\n");
    }
    for (const auto& problem : problems()) {
        const auto rows = rows_of(ranks, replicates, random::derive_seed(study_seed, number++), [&](random::Seed seed) {
            const auto outcome = problem.run(seed);
            if (calibration::is_first_replicate())
                record(problem, outcome);
            std::vector<double> row;
            for (const auto& which : intervals)
                row.push_back(covers(outcome, which, problem.exact, 1));
            row.push_back(covers(outcome, intervals.front(), problem.exact, 1 / std::sqrt(2)));
            for (const std::string text : {"agree", "poor overlap", "too fast"})
                row.push_back(outcome.verdict.substr(0, text.size()) == text ? 1 : 0);
            return row;
        });
        if (calibration::is_first_replicate())
            continue;
        std::vector<double> fractions;
        for (std::size_t k = 0; k < rows.front().size(); ++k) {
            double sum = 0, n = 0;
            for (const double value : column(rows, k))
                if (!std::isnan(value)) {
                    sum += value;
                    n += 1;
                }
            fractions.push_back(n > 0 ? sum / n : not_offered);
        }
        const auto n = static_cast<double>(replicates);
        const std::size_t twin = intervals.size(), agree = twin + 1;
        const bool verdict_right = problem.good_overlap ? fractions[agree] >= 0.95 : fractions[agree] <= 0.05;
        bool ok = verdict_right;
        if (problem.good_overlap) {
            for (std::size_t k = 0; k < 3; ++k)
                ok = ok && is_covering(fractions[k], n);
            ok = ok && !is_covering(fractions[twin], n);
        }
        good = good && ok;
        if (!ranks.is_root())
            continue;
        record_judged(problem, fractions, n);
        fmt::print("{:<38}", problem.name);
        for (std::size_t k = 0; k < intervals.size(); ++k)
            fmt::print(" {:>20.3f}", fractions[k]);
        fmt::print(" {:>16.3f} {:>7.3f} {:>13.3f} {:>9.3f} {:>6.3f}{}\n", fractions[twin], fractions[agree],
                   fractions[agree + 1], fractions[agree + 2],
                   1 - fractions[agree] - fractions[agree + 1] - fractions[agree + 2], ok ? "" : "   MISSED");
        std::fflush(stdout);
    }
    return good;
}

} // namespace

int main(int argc, char** argv) {
    const parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const Index replicates = argc == 2 ? std::atol(argv[1]) : 0;
    if (replicates < 10) {
        if (ranks.is_root())
            fmt::print(stderr, "usage: work_studies REPLICATES (at least 10)\n");
        return 2;
    }
    return coverage(ranks, replicates) ? 0 : 1;
}
