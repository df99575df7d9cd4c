/// A step of an RBM that grows by a visible unit, in the middle of the growth: ten sweeps over 392 of 784 visible units
/// and 500 hidden ones, smoothing weights, and the next unit. `of_products` is the time of Eigen's float products of
/// the sweeps' shapes alone, best of several, over the step's best; `smoothing` and `next` are the shares of these
/// parts.

#include "float_products.hpp"
#include "models/rbm/growing_rbm.hpp"
#include "models/rbm/rbm.hpp"
#include "simd/instructions.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace pearlite;

template <class Function>
void take_best(double& best, Function&& function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void grow(benchmark::State& state) {
    constexpr Index n_visible = 784, n_hidden = 500, n = n_visible / 2, sweeps = 10;
    const Index particles = state.range(0);
    const auto machine = std::make_shared<const models::Rbm>(models::random_rbm(n_visible, n_hidden, 0.1, 0.5, 1));
    const auto growing = models::rbm_growth(machine)->growing("variance", 1);
    const auto stage = growing->first_stage();
    auto block = stage->make_block(particles);
    stage->draw_first(*block, {1, 0});
    std::uint32_t step = 1;
    for (Index k = 1; k < n; ++k) {
        stage->augment(*block, {1, step++});
        stage->grow();
        stage->prepare(*block);
    }

    const Eigen::MatrixXf weights = Eigen::MatrixXf::Random(n, n_hidden);
    const Eigen::MatrixXf visible = Eigen::MatrixXf::Random(n, particles);
    const Eigen::MatrixXf units = Eigen::MatrixXf::Random(n_hidden, particles);
    Eigen::MatrixXf hidden(n_hidden, particles), field(n, particles);
    constexpr double never = std::numeric_limits<double>::infinity();
    double moving = never, smoothing = never, adding = never, products = never;
    std::vector<double> log_weights(static_cast<std::size_t>(particles));
    for (auto _ : state) {
        take_best(moving, [&] {
            for (Index sweep = 0; sweep < sweeps; ++sweep)
                stage->sweep(*block, {1, step++});
        });
        take_best(smoothing, [&] { stage->smooth(*block, {1, step++}, log_weights); });
        auto next = stage->make_block(particles);
        std::vector<std::byte> packed(block->packed_bytes());
        for (Index i = 0; i < particles; ++i) {
            block->pack(i, packed);
            next->unpack(i, packed);
        }
        stage->prepare(*next);
        take_best(adding, [&] { stage->augment(*next, {1, step++}); });
        take_best(products, [&] {
            for (Index sweep = 0; sweep < sweeps; ++sweep)
                simd::on_this_cpu(
                    [&](auto cpu) { benchmarks::multiply<decltype(cpu)>(weights, visible, units, hidden, field); });
            benchmark::ClobberMemory();
        });
    }
    const double whole = moving + smoothing + adding;
    state.counters["steps"] = static_cast<double>(particles) / whole;
    state.counters["of_products"] = products / whole;
    state.counters["smoothing"] = smoothing / whole;
    state.counters["next"] = adding / whole;
}
BENCHMARK(grow)->Arg(512)->Arg(1024);

} // namespace

BENCHMARK_MAIN();
