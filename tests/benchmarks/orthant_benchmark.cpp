/// A Gibbs sweep of the latent variables of Gaussian process classification, 767 of them in 960 particles, as a run
/// makes it: scan order, random numbers, panels. `flops` are those of its products, 2 n^2 R; `of_ceiling` is their
/// share of what the core's multipliers can do. Double precision beside single.

#include "fma_peak.hpp"

#include "models/gaussian_process/orthant/orthant.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace {

using namespace pearlite;

template <class Real>
void sweep(benchmark::State& state) {
    constexpr Index n = 767, particles = 960;
    Matrix covariance = Matrix::Constant(n, n, 0.7);
    covariance.diagonal().setOnes();
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), Index{0});
    const models::Orthant orthant({covariance, Vector::Ones(n), order, sizeof(Real) == sizeof(double)});
    const auto stage = orthant.first_stage();
    auto block = stage->make_block(particles);
    stage->draw_first(*block, {1, 0});
    std::uint32_t step = 1;
    for (Index k = 1; k < n; ++k) {
        stage->augment(*block, {1, step++});
        stage->grow();
    }
    for (auto _ : state) {
        stage->sweep(*block, {1, step++});
        benchmark::ClobberMemory();
    }
    const double flops = 2.0 * n * n * particles * static_cast<double>(state.iterations());
    state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
    state.counters["of_ceiling"] =
        benchmark::Counter(flops / benchmarks::most_flops_per_second<Real>(), benchmark::Counter::kIsRate);
}
BENCHMARK_TEMPLATE(sweep, float);
BENCHMARK_TEMPLATE(sweep, double);

} // namespace

BENCHMARK_MAIN();
