// Two peaks of masses 0.1 and 0.9 in four dimensions, by algorithms with nothing set but the model: how many intervals
// that are printed hold the evidence, and whether runs that lack a peak name it.
//
//     peak_studies importance|chains [REPLICATES]                                  status 1 if a figure misses
//
// Importance sampling: as many of the intervals of 95 % hold the truth as a true 95 % misses but once in 7000, and none
// is more than 4 errors off without a warning. The wrong twin, a proposal of the larger peak alone beside draws of
// both, must name the lost peak in at least 0.95 of all runs. Chains: a run whose chains have all missed a peak must
// name it; without the comparison with the pilot half of these runs, at least, would say that the chains agree. With
// peaks that are so near that chains go to and fro, at most a tenth of all runs may name one.
#include "algorithm/importance_squared/importance_squared.hpp"
#include "app/configured/prepare.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/result/parts/posterior.hpp"
#include "app/result/run.hpp"
#include "pearlite/app/custom_model.hpp"
#include "pearlite/path/tempered.hpp"
#include "statistical/record.hpp"
#include "statistical/scores.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>

namespace {

using namespace pearlite;
using calibration::no_limit;

constexpr int dimension = 4;
constexpr double prior_sd = 5, shrink = prior_sd * prior_sd / (prior_sd * prior_sd + 1);

/// x ~ N(0, 5^2 I), and a likelihood of two normal functions of x, about (p, ..., p) and (-p, ..., -p): the posterior
/// is 0.9 N(s p, s I) + 0.1 N(-s p, s I), s = 25/26.
class TwoPeaks {
  public:
    explicit TwoPeaks(io::Section& section) : TwoPeaks(section.number("place", 3.0)) {}
    explicit TwoPeaks(double place) : place_(place) {}
    std::vector<std::string> parameter_names() const { return {"x1", "x2", "x3", "x4"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = prior_sd * stream.normal();
    }
    double log_prior(std::span<const double> x) const { return log_normal(x, 0, prior_sd); }
    double log_likelihood(std::span<const double> x) const {
        const double large = std::log(0.9) + log_normal(x, place_, 1),
                     small = std::log(0.1) + log_normal(x, -place_, 1);
        const double larger = std::max(large, small);
        return larger + std::log(std::exp(large - larger) + std::exp(small - larger));
    }
    double exact() const { return log_normal(std::vector<double>(dimension, place_), 0, std::hypot(prior_sd, 1)); }

  private:
    static double log_normal(std::span<const double> x, double mean, double sd) {
        double sum = 0;
        for (const double value : x)
            sum += (value - mean) * (value - mean);
        return -0.5 * sum / (sd * sd) - 0.5 * dimension * std::log(2 * std::numbers::pi * sd * sd);
    }

    double place_;
};

app::RunResult result_of(const std::string& algorithm, double place, int seed) {
    const app::Catalogue models{app::custom_model<TwoPeaks>("two-peaks", "two peaks of unequal mass")};
    const auto text =
        fmt::format("model.name = 'two-peaks'\nmodel.place = {:.3f}\nalgorithm.name = '{}'\nrun.seed = {}\n", place,
                    algorithm, seed);
    const auto ready = app::prepare(models, io::Configuration::parse(text, "study.toml", "."));
    auto run = std::make_unique<app::Run>(parallel::Communicator::alone(), *ready.plan, *ready.model);
    run->begin();
    while (!run->finished())
        run->step();
    return run->result();
}

int naming_a_peak(const std::vector<std::string>& warnings) {
    return static_cast<int>(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("the peak at ") != std::string::npos;
    }));
}

const std::vector<std::string>& warnings_of(const app::RunResult& result) {
    return result.part<app::OutcomePart>()->outcome().warnings;
}

/// A proposal of the larger peak alone, beside 1024 draws of the posterior in place of a pilot.
algorithm::Outcome one_peak_only(random::Seed seed) {
    constexpr Index n = 1024;
    constexpr double place = 3;
    const TwoPeaks model(place);
    const double sd = std::sqrt(shrink);
    algorithm::FirstDraws pilot{Matrix(dimension, n), std::vector<double>(n, 0.0)};
    random::Stream stream({seed, random::Purpose::test, 0, 0});
    for (Index i = 0; i < n; ++i) {
        const double centre = (stream.bernoulli(0.1) ? -1 : 1) * place * shrink;
        for (double& value : pilot.points.col(i))
            value = centre + sd * stream.normal();
        const std::span<const double> x(pilot.points.col(i).data(), dimension);
        pilot.log_priors.push_back(model.log_prior(x));
        pilot.log_likelihoods.push_back(model.log_likelihood(x));
    }
    pilot.families = 100;
    const random::StudentMixture proposal(
        {{1, Vector::Constant(dimension, place * shrink), sd * Matrix::Identity(dimension, dimension)}}, 5);
    algorithm::ImportanceSquared sampler(parallel::Communicator::alone(), path::tempered(model), proposal,
                                         {10'000, 16, seed}, {1000, 0, 0.05},
                                         std::make_shared<const algorithm::PilotView>(pilot));
    sampler.begin();
    while (!sampler.finished())
        sampler.step();
    return sampler.outcome();
}

void record_estimate(const std::string& cell, const estimator::Estimate& estimate,
                     const std::vector<std::string>& warnings) {
    calibration::record_first(cell, std::array{estimate.value, estimate.standard_error.value_or(-1)}, warnings);
}

bool importance(int replicates) {
    std::vector<double> scores;
    int covering = 0, silent = 0, named = 0, twins_named = 0, twins_withheld = 0;
    for (int seed = 1; seed <= replicates; ++seed) {
        const auto result = result_of("importance-squared", 3, seed);
        const auto& estimate = result.part<app::EvidencePart>()->estimates().front();
        const auto& warnings = warnings_of(result);
        named += naming_a_peak(warnings) > 0 ? 1 : 0;
        if (estimate.standard_error) {
            const double z = (estimate.value - TwoPeaks(3).exact()) / *estimate.standard_error;
            scores.push_back(z);
            covering += std::abs(z) < 1.96 ? 1 : 0;
            silent += std::abs(z) > 4 && warnings.empty() ? 1 : 0;
        }
        const auto twin = one_peak_only(static_cast<std::uint64_t>(seed));
        if (calibration::is_first_replicate()) {
            record_estimate("importance", estimate, warnings);
            record_estimate("twin", twin.log_ratio.front(), twin.warnings);
            return true;
        }
        twins_named += naming_a_peak(twin.warnings) > 0 ? 1 : 0;
        twins_withheld += twin.log_ratio.front().standard_error ? 0 : 1;
    }
    const auto [printed, mean, sd] = calibration::moments(scores);
    fmt::print(
        "importance: {} of {} printed intervals of {} runs hold the evidence; z: mean {:+.2f}, sd {:.2f}; {} runs "
        "beyond 4 errors without a warning; a lost peak named in {} runs, in {} of the twin's, without an error bar "
        "in {}\n",
        covering, printed, replicates, mean, sd, silent, named, twins_named, twins_withheld);
    const boost::math::binomial_distribution<> true_intervals(static_cast<double>(std::max<Index>(printed, 1)), 0.95);
    const double fewest = std::floor(quantile(true_intervals, 1 / 7000.0));
    calibration::record_figure("printed intervals", static_cast<double>(printed), 0.9 * replicates, replicates);
    calibration::record_figure("intervals that hold the evidence", covering, fewest, no_limit);
    calibration::record_figure("runs beyond 4 errors without a warning", silent, 0, 0);
    calibration::record_figure("twins that name the lost peak", twins_named, 0.95 * replicates, replicates);
    return printed >= 0.9 * replicates && covering >= fewest && silent == 0 && twins_named >= 0.95 * replicates;
}

/// Whether the draws of all chains are in one peak: on one side of 0, in the sum of the coordinates.
bool lacks_a_peak(const app::RunResult& result) {
    const Vector sums = result.part<app::PosteriorPart>()->posterior().draws.colwise().sum();
    return (sums.array() > 0).all() || (sums.array() < 0).all();
}

void record_draws(const std::string& cell, const app::RunResult& result) {
    const auto& draws = result.part<app::PosteriorPart>()->posterior().draws;
    const Vector means = draws.rowwise().mean(), squares = draws.array().square().rowwise().mean();
    const auto values = [](const Vector& v) {
        return std::span<const double>(v.data(), static_cast<std::size_t>(v.size()));
    };
    calibration::record_first(cell, values(means), warnings_of(result));
    calibration::record_first(cell + ", squares", values(squares));
}

bool chains(int replicates) {
    int lacking = 0, named = 0, only_named = 0, near_named = 0;
    for (int seed = 1; seed <= replicates; ++seed) {
        const auto far = result_of("pseudo-marginal", 3, seed);
        if (calibration::is_first_replicate()) {
            record_draws("far peaks", far);
            record_draws("near peaks", result_of("pseudo-marginal", 1, seed));
            return true;
        }
        const int naming = naming_a_peak(warnings_of(far));
        if (lacks_a_peak(far)) {
            ++lacking;
            named += naming > 0 ? 1 : 0;
            only_named += naming == static_cast<int>(warnings_of(far).size()) ? 1 : 0;
        }
        near_named += naming_a_peak(warnings_of(result_of("pseudo-marginal", 1, seed))) > 0 ? 1 : 0;
    }
    fmt::print(
        "chains: in {} of {} runs no chain visits a peak: named in {}, and nothing else is said in {}; with near "
        "peaks one is named in {} runs\n",
        lacking, replicates, named, only_named, near_named);
    calibration::record_figure("runs that lack a peak", lacking, 1, replicates);
    calibration::record_figure("of these, runs that name it", named, lacking, lacking);
    calibration::record_figure("of these, runs that say nothing else", only_named, 0.5 * lacking, lacking);
    calibration::record_figure("runs that name a peak which chains visit", near_named, 0, 0.1 * replicates);
    return lacking > 0 && named == lacking && 2 * only_named >= lacking && 10 * near_named <= replicates;
}

} // namespace

int main(int argc, char** argv) {
    const parallel::Environment environment(argc, argv);
    const std::string what = argc >= 2 ? argv[1] : "";
    const int replicates = argc >= 3 ? std::atoi(argv[2]) : 100;
    if ((what != "importance" && what != "chains") || replicates < 10) {
        fmt::print(stderr, "usage: peak_studies importance|chains [REPLICATES]\nat least 10 replicates\n");
        return 2;
    }
    return (what == "importance" ? importance : chains)(replicates) ? 0 : 1;
}
