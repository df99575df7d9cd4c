// The cost of sums that do not depend on order: time per term of the order-independent sums beside a plain sum.
#include "core/exact_sum.hpp"
#include "parallel/reduction.hpp"

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <cmath>
#include <random>
#include <vector>

using namespace pearlite;

namespace {

// Weights relative to their maximum, over the range that annealing gives them.
std::vector<double> weights(std::int64_t n) {
    std::mt19937_64 engine(1);
    std::vector<double> terms(static_cast<std::size_t>(n));
    std::ranges::generate(terms, [&] { return std::exp(-10 * std::uniform_real_distribution(0.0, 1.0)(engine)); });
    return terms;
}

// Sixteen partial sums: the compiler can then use vectors without changing the meaning.
double plain_sum(std::span<const double> terms) {
    std::array<double, 16> lanes{};
    for (std::size_t i = 0; i + lanes.size() <= terms.size(); i += lanes.size())
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            lanes[lane] += terms[i + lane];
    double sum = 0;
    for (const double lane : lanes)
        sum += lane;
    for (std::size_t i = terms.size() / lanes.size() * lanes.size(); i < terms.size(); ++i)
        sum += terms[i];
    return sum;
}

template <class Sum>
void measure(benchmark::State& state, Sum&& sum) {
    const auto terms = weights(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(sum(std::span<const double>(terms)));
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.counters["per_term"] =
        benchmark::Counter(static_cast<double>(state.range(0)),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void exact(benchmark::State& state) {
    measure(state, [](std::span<const double> terms) { return exact_sum(terms); });
}

void exact_one_by_one(benchmark::State& state) {
    measure(state, [](std::span<const double> terms) {
        ExactSum sum;
        for (const double term : terms)
            sum.add(term);
        return sum.value();
    });
}

void fixed_point(benchmark::State& state) {
    measure(state, [](std::span<const double> terms) {
        return parallel::fixed_point_sum(parallel::Communicator::alone(), terms, static_cast<Index>(terms.size()));
    });
}

void plain(benchmark::State& state) {
    measure(state, plain_sum);
}

void log_sum(benchmark::State& state) {
    measure(state, [](std::span<const double> terms) {
        return parallel::log_sum_exp(parallel::Communicator::alone(), terms);
    });
}

BENCHMARK(exact)->RangeMultiplier(10)->Range(1000, 1000000);
BENCHMARK(exact_one_by_one)->RangeMultiplier(10)->Range(1000, 1000000);
BENCHMARK(fixed_point)->RangeMultiplier(10)->Range(1000, 1000000);
BENCHMARK(plain)->RangeMultiplier(10)->Range(1000, 1000000);
BENCHMARK(log_sum)->RangeMultiplier(10)->Range(1000, 1000000);

} // namespace

BENCHMARK_MAIN();
