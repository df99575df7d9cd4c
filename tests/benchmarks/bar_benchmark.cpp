/// Bennett's acceptance ratio of 10^6 forward and 10^6 reverse works: `seconds` for value and error, and `times_plain`,
/// the time of a plain loop of Newton steps on Bennett's equation, with the library's exp, over it.

#include "estimator/work/work.hpp"
#include "pearlite/random/stream.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace {

constexpr std::size_t n_works = 1'000'000;

struct Works {
    std::vector<double> forward, reverse;
};

/// Normal works of spread 2: dissipation of 2 nats either way.
const Works& works() {
    static const Works made = [] {
        Works w;
        pearlite::random::Stream stream({1, pearlite::random::Purpose::test, 1, 0});
        for (std::size_t i = 0; i < n_works; ++i) {
            w.forward.push_back(5 + 2 * stream.normal());
            w.reverse.push_back(1 + 2 * stream.normal());
        }
        return w;
    }();
    return made;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Newton's method on sum_f q = sum_r (1 - q) from L = 0, to 1e-12.
double plain_bar() {
    double log_ratio = 0;
    for (int iteration = 0; iteration < 100; ++iteration) {
        double difference = 0, slope = 0;
        for (const double w : works().forward) {
            const double q = 1 / (1 + std::exp(log_ratio + w));
            difference += q;
            slope -= q * (1 - q);
        }
        for (const double w : works().reverse) {
            const double q = 1 / (1 + std::exp(log_ratio + w));
            difference -= 1 - q;
            slope -= q * (1 - q);
        }
        const double step = std::clamp(difference / slope, -2.0, 2.0);
        log_ratio -= step;
        if (std::abs(step) < 1e-12)
            break;
    }
    return log_ratio;
}

double plain_seconds() {
    static const double best = [] {
        double least = 1e9;
        for (int repeat = 0; repeat < 3; ++repeat) {
            const auto begin = std::chrono::steady_clock::now();
            benchmark::DoNotOptimize(plain_bar());
            least = std::min(least, seconds_since(begin));
        }
        return least;
    }();
    return best;
}

void solve(benchmark::State& state) {
    double least = 1e9;
    const auto& w = works();
    const auto alone = pearlite::parallel::Communicator::alone();
    const pearlite::parallel::BlockLayout layout(n_works, 16, 1, 0);
    for (auto _ : state) {
        const auto begin = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize(pearlite::estimator::bar({alone, layout, w.forward}, {alone, layout, w.reverse}));
        least = std::min(least, seconds_since(begin));
    }
    state.counters["seconds"] = least;
    state.counters["times_plain"] = plain_seconds() / least;
}
BENCHMARK(solve)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
