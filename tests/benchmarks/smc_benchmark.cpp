/// Tempered SMC of a logistic regression with 768 rows and 9 coefficients on one core, from the prior to the posterior:
/// 1024 particles, 10 moves a temperature, adaptive temperatures, systematic resampling. Counters: `terms`, rows x
/// coefficients per second over all likelihoods of the run; `of_evaluate`, that rate over the rate of the likelihood
/// alone in the same process; both in processor time, the best of several runs.

#include "algorithm/smc/smc.hpp"
#include "kernel/density/random_walk.hpp"
#include "models/regression/logistic_regression.hpp"
#include "pearlite/path/tempered.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace {

using namespace pearlite;
using models::LogisticRegression;

constexpr Index n_rows = 768, n_coefficients = 9, n_particles = 1024, n_moves = 10;

LogisticRegression regression() {
    random::Stream stream({2, random::Purpose::synthetic_data, 0, 0});
    models::LogisticRegressionData data;
    data.design = Matrix::NullaryExpr(n_rows, n_coefficients, [&](Index, Index) { return stream.normal(); });
    data.response = Vector::NullaryExpr(n_rows, [&](Index) { return stream.bernoulli(0.4) ? 1.0 : 0.0; });
    data.names.assign(n_coefficients, "b");
    data.prior_variance = 1;
    return LogisticRegression(data);
}

/// Terms per second of evaluate() alone.
double evaluate_rate(const LogisticRegression& model) {
    constexpr Index n_points = 256;
    random::Stream stream({3, random::Purpose::synthetic_data, 0, 0});
    const Matrix points = Matrix::NullaryExpr(n_coefficients, n_points, [&](Index, Index) { return stream.normal(); });
    std::vector<double> log_prior(n_points), log_likelihood(n_points);
    double best = std::numeric_limits<double>::infinity();
    for (int again = 0; again < 200; ++again) {
        const double begin = parallel::work_seconds();
        model.evaluate(points, log_prior, log_likelihood);
        benchmark::DoNotOptimize(log_likelihood.data());
        best = std::min(best, parallel::work_seconds() - begin);
    }
    return static_cast<double>(n_rows * n_coefficients * n_points) / best;
}

void logistic_regression(benchmark::State& state) {
    const LogisticRegression density = regression();
    const auto path = path::tempered(density);
    double best = 0;
    Index n_steps = 0;
    for (auto _ : state) {
        const double begin = parallel::work_seconds();
        algorithm::Smc sampler(parallel::Communicator::alone(), path, path::AdaptiveSchedule{1, 0.95},
                               kernel::RandomWalk(path, n_moves), {n_particles, 16, 1}, {});
        sampler.begin();
        while (!sampler.finished())
            sampler.step();
        n_steps = sampler.progress().step;
        const Index likelihoods = n_particles * (1 + n_steps * n_moves);
        best = std::max(best, static_cast<double>(likelihoods * n_rows * n_coefficients) /
                                  (parallel::work_seconds() - begin));
    }
    state.counters["temperatures"] = static_cast<double>(n_steps);
    state.counters["terms"] = best;
    state.counters["of_evaluate"] = best / evaluate_rate(density);
}
BENCHMARK(logistic_regression)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
