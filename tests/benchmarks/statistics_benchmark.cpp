/// The cost of the statistics of every temperature (ESS, running log Z, moments of u: order-independent sums over all
/// blocks) relative to the step that they accompany, on one rank. Counter `of_step` is the ratio of the best times.

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "kernel/native.hpp"
#include "models/lattice/ising.hpp"
#include "models/rbm/rbm.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace pearlite;

constexpr Index n_steps = 64; // as many temperatures as one collective reduces

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The statistics of n_steps temperatures alone, on the weights that a run of the model ends with.
double statistics_seconds(const std::vector<double>& log_weights, Index block) {
    const std::vector<double> derivatives(log_weights.size(), 1.5);
    algorithm::OnTheFly on_the_fly;
    algorithm::Trace trace;
    const auto particles = static_cast<Index>(log_weights.size());
    return seconds_of([&] {
        for (Index k = 0; k < n_steps; ++k) {
            on_the_fly.begin(0.5, 1, particles);
            for (Index begin = 0; begin < particles; begin += block) {
                const auto size = static_cast<std::size_t>(std::min(block, particles - begin));
                const auto first = static_cast<std::size_t>(begin);
                on_the_fly.add_block(std::span(log_weights).subspan(first, size),
                                     std::span(derivatives).subspan(first, size), 0);
            }
        }
        on_the_fly.flush(parallel::Communicator::alone(), particles, 0, false, trace);
    });
}

template <class M>
void annealing(benchmark::State& state, const M& model, Index particles, Index block) {
    const auto target = model::target_of(model);
    double step_seconds = std::numeric_limits<double>::infinity(), sums_seconds = step_seconds;
    for (auto _ : state) {
        algorithm::AnnealedImportance sampler(parallel::Communicator::alone(), target,
                                              path::linear_schedule(n_steps + 1, 0.5), kernel::Native(target),
                                              {particles, block, 1});
        sampler.begin();
        const double elapsed = seconds_of([&] {
            for (Index k = 0; k < n_steps; ++k)
                sampler.step();
        });
        state.SetIterationTime(elapsed);
        step_seconds = std::min(step_seconds, elapsed);
        for (int again = 0; again < 3; ++again)
            sums_seconds =
                std::min(sums_seconds, statistics_seconds(sampler.population().generation(0).log_weights(), block));
    }
    state.counters["of_step"] = sums_seconds / step_seconds;
}

void ising(benchmark::State& state) {
    annealing(state, models::Ising({32, 1.0, models::IsingSettings::Move::metropolis}), 2048, 512);
}
BENCHMARK(ising)->UseManualTime()->Unit(benchmark::kMillisecond);

void rbm(benchmark::State& state) {
    annealing(state, models::Rbm(models::random_rbm(784, 500, 0.1, 0.5, 1)), 256, 128);
}
BENCHMARK(rbm)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
