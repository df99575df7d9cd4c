/// Updates per second (chains through one temperature) of one core on an RBM of 784 x 500 units, against Eigen's float
/// matrix products of the same shapes alone: the counter `of_products` is the ratio of the best rates, timed in the
/// same run in turns.

#include "models/rbm/rbm.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::models::Rbm;
using pearlite::models::RbmBlock;

constexpr Index n_visible = 784;
constexpr Index n_hidden = 500;
constexpr int n_temperatures = 1000;

template <class Function>
double seconds(Function&& function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// W'V and W H for one block, nothing else.
struct Products {
    explicit Products(Index n_chains)
        : weights(Eigen::MatrixXf::Random(n_visible, n_hidden)),
          visible(Eigen::MatrixXf::Random(n_visible, n_chains)),
          units(Eigen::MatrixXf::Random(n_hidden, n_chains)),
          hidden(n_hidden, n_chains),
          field(n_visible, n_chains) {}

    void eigen() {
        hidden.noalias() = weights.transpose() * visible;
        field.noalias() = weights * units;
        benchmark::ClobberMemory();
    }

    Eigen::MatrixXf weights, visible, units, hidden, field;
};

void rbm_anneal(benchmark::State& state) {
    const Index n_chains = state.range(0);
    const Rbm rbm(pearlite::models::random_rbm(n_visible, n_hidden, 0.1, 0.5, 1));
    RbmBlock block = rbm.make_block(n_chains);
    rbm.draw_start(block, {1, 0, 0, 0, 0});
    std::vector<double> log_weights(static_cast<std::size_t>(n_chains), 0.0), derivative(log_weights.size());
    Products products(n_chains);
    std::uint32_t step = 0;
    double update_seconds = std::numeric_limits<double>::infinity();
    double product_seconds = update_seconds;
    for (auto _ : state) {
        const double b = static_cast<double>(step % n_temperatures) / n_temperatures;
        ++step;
        const double elapsed = seconds([&] {
            rbm.anneal(block, b, b + 1.0 / n_temperatures, {1, step, 0, 0, 0}, log_weights, derivative);
        });
        state.SetIterationTime(elapsed);
        update_seconds = std::min(update_seconds, elapsed);
        for (int again = 0; step % 16 == 0 && again < 4; ++again) // the first of four brings its weights into the cache
            product_seconds = std::min(product_seconds, seconds([&] { products.eigen(); }));
    }
    const auto chains = static_cast<double>(n_chains);
    state.counters["updates"] = benchmark::Counter(chains * static_cast<double>(step), benchmark::Counter::kIsRate);
    state.counters["best_updates"] = chains / update_seconds;
    state.counters["products"] = chains / product_seconds;
    state.counters["of_products"] = product_seconds / update_seconds;
}

BENCHMARK(rbm_anneal)->Arg(64)->Arg(128)->Arg(256)->Arg(512)->UseManualTime();

} // namespace

BENCHMARK_MAIN();
