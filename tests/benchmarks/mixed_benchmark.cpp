/// Likelihoods of regressions per second of one core. A mixed logistic regression with the numbers of rows of the
/// toenail data (294 subjects, 1908 rows): estimates from N samples each, against a plain loop that does the same one
/// subject, one sample, one row after another, and by quadrature; counters `likelihoods` per second and `times_plain`.
/// A logistic regression with 768 rows and 9 coefficients: counter `terms`, rows x coefficients per second.

#include "core/log_space.hpp"
#include "models/mixed_logistic/mixed_logistic_design.hpp"
#include "models/regression/logistic_regression.hpp"
#include "toenail_sized.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace {

using namespace pearlite;

constexpr Index samples = 32;
const std::vector<double> point{-1.6, -0.16, -0.39, -0.14, std::log(4.0)};

/// One subject's estimate, row by row: the mode by Newton's method, then t samples around it.
double plain_subject(const models::MixedLogisticSettings& s, Index first, Index last, random::Stream& stream) {
    const double deviation = std::exp(point[4]);
    std::vector<double> offsets;
    for (Index j = first; j < last; ++j) {
        double eta = 0;
        for (Index k = 0; k < 4; ++k)
            eta += s.design(j, k) * point[static_cast<std::size_t>(k)];
        offsets.push_back(eta);
    }
    double mode = 0, curvature = 1;
    for (int step = 0; step < 8; ++step) {
        double gradient = -mode;
        curvature = 1;
        for (Index j = first; j < last; ++j) {
            const double p = 1 / (1 + std::exp(-offsets[static_cast<std::size_t>(j - first)] - deviation * mode));
            gradient += deviation * (s.response(j) - p);
            curvature += deviation * deviation * p * (1 - p);
        }
        mode += gradient / curvature;
    }
    double sum = 0;
    for (Index k = 0; k < samples; ++k) {
        const double t = stream.normal() / std::sqrt(stream.gamma(2) / 2), v = mode + t / std::sqrt(curvature);
        double log_weight = -0.5 * v * v + 2.5 * std::log(1 + t * t / 4);
        for (Index j = first; j < last; ++j) {
            const double eta = offsets[static_cast<std::size_t>(j - first)] + deviation * v;
            log_weight -= std::log(1 + std::exp(s.response(j) == 1 ? -eta : eta));
        }
        sum += std::exp(log_weight);
    }
    return std::log(sum / samples) - 0.5 * std::log(curvature);
}

double plain_estimate(const models::MixedLogisticSettings& s, std::uint64_t id) {
    random::Stream stream({1, random::Purpose::test, id, 0});
    double sum = 0;
    for (Index first = 0, last = 0; first < s.response.size(); first = last) {
        while (last < s.response.size() &&
               s.subject[static_cast<std::size_t>(last)] == s.subject[static_cast<std::size_t>(first)])
            ++last;
        sum += plain_subject(s, first, last, stream);
    }
    return sum;
}

/// Best of several times, so that other work on the machine disturbs little.
template <class Work>
double best_seconds(const Work& work) {
    double best = std::numeric_limits<double>::infinity();
    for (int again = 0; again < 20; ++again) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

double plain_seconds() {
    static const double seconds = [] {
        const auto settings = benchmarks::toenail_sized(false, samples);
        return best_seconds([&] { benchmark::DoNotOptimize(plain_estimate(settings, 1)); });
    }();
    return seconds;
}

template <class Evaluate>
void likelihoods(benchmark::State& state, Index n, const Evaluate& evaluate, bool compare) {
    double best = std::numeric_limits<double>::infinity();
    for (auto _ : state) {
        const auto begin = std::chrono::steady_clock::now();
        evaluate();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    state.counters["likelihoods"] = static_cast<double>(n) / best;
    if (compare)
        state.counters["times_plain"] = plain_seconds() * static_cast<double>(n) / best;
}

void estimates(benchmark::State& state, bool slope) {
    models::MixedLogistic model(benchmarks::toenail_sized(slope, samples));
    model.set_particles(state.range(0));
    auto u = point;
    if (slope)
        u.push_back(std::log(0.3));
    constexpr Index n = 16;
    Matrix points(static_cast<Index>(u.size()), n);
    points.colwise() = Eigen::Map<const Vector>(u.data(), points.rows());
    std::vector<double> log_prior(n), log_likelihood(n);
    std::uint32_t step = 0;
    likelihoods(
        state, n,
        [&] {
            model.estimate(points, {.seed = 1, .step = ++step}, log_prior, log_likelihood);
            benchmark::DoNotOptimize(log_likelihood.data());
            benchmark::ClobberMemory();
        },
        !slope && state.range(0) == samples);
}

void random_intercept(benchmark::State& state) {
    estimates(state, false);
}
BENCHMARK(random_intercept)->Arg(8)->Arg(samples)->Arg(128)->Unit(benchmark::kMicrosecond);

void random_slope(benchmark::State& state) {
    estimates(state, true);
}
BENCHMARK(random_slope)->Arg(samples)->Unit(benchmark::kMicrosecond);

/// The argument is the logarithm of the deviation.
void quadrature(benchmark::State& state) {
    const models::MixedLogistic model(benchmarks::toenail_sized(false, samples));
    auto u = point;
    u.back() = static_cast<double>(state.range(0));
    likelihoods(
        state, 1, [&] { benchmark::DoNotOptimize(model.exact_log_likelihood(u)); }, false);
}
BENCHMARK(quadrature)->Arg(1)->Arg(4)->Arg(8)->Unit(benchmark::kMicrosecond);

void logistic_regression(benchmark::State& state) {
    constexpr Index n = 768, p = 9, n_points = 256;
    random::Stream stream({2, random::Purpose::synthetic_data, 0, 0});
    models::LogisticRegressionData data;
    data.design = Matrix::NullaryExpr(n, p, [&](Index, Index) { return stream.normal(); });
    data.response = Vector::NullaryExpr(n, [&](Index) { return stream.bernoulli(0.4) ? 1.0 : 0.0; });
    data.names.assign(p, "b");
    const models::LogisticRegression model(data);
    const Matrix points = Matrix::NullaryExpr(p, n_points, [&](Index, Index) { return stream.normal(); });
    std::vector<double> log_prior(n_points), log_likelihood(n_points);
    double best = std::numeric_limits<double>::infinity();
    for (auto _ : state) {
        const auto begin = std::chrono::steady_clock::now();
        model.evaluate(points, log_prior, log_likelihood);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    state.counters["terms"] = static_cast<double>(n * p * n_points) / best;
}
BENCHMARK(logistic_regression)->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
