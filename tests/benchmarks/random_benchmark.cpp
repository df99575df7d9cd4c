/// Random numbers per second and core, by both generators. Buffers stay in the second-level cache, so the times are
/// those of generators. The counter `of_ceiling` of bits<ars> is the share of the rate at which the widest AES
/// instructions of the CPU alone, independent of one another, would make as many words in as many rounds.

#include "aes_peak.hpp"
#include "random/ars/kernels.hpp"
#include "random/fill.hpp"
#include "random/lanes.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <benchmark/benchmark.h>
#include <vector>

namespace {

using namespace pearlite::random;
using pearlite::Index;

constexpr auto philox = Generator::philox, ars = Generator::ars;
constexpr std::size_t n_elements = 1 << 15;

/// Times fill(address, buffer) for a new step each time; items are elements.
template <class T, Generator generator, class Fill>
void measure(benchmark::State& state, Fill fill) {
    std::vector<T> buffer(n_elements);
    Address address{.seed = {1, generator}, .purpose = Purpose::test, .id = 2, .step = 0};
    for (auto _ : state) {
        fill(address, std::span<T>(buffer));
        ++address.step;
        benchmark::DoNotOptimize(buffer.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n_elements));
}

template <Generator generator>
void bits(benchmark::State& state) {
    measure<std::uint32_t, generator>(state, [](const Address& a, std::span<std::uint32_t> out) { fill_bits(a, out); });
    const double most = pearlite::benchmarks::most_aes_rounds_per_second();
    if (generator == ars && most > 0) {
        const double rounds = static_cast<double>(state.items_processed()) / 4 * ars_kernels::rounds;
        state.counters["of_ceiling"] = benchmark::Counter(rounds / most, benchmark::Counter::kIsRate);
    }
}

void bits_random123(benchmark::State& state) {
    measure<std::uint32_t, philox>(state, [](const Address& a, std::span<std::uint32_t> out) {
        r123::Philox4x32 generator;
        for (std::size_t i = 0; i < out.size(); i += 4) {
            const auto words = generator({{static_cast<std::uint32_t>(i / 4), a.step, 2, 3}}, {{1, 0}});
            std::copy(words.begin(), words.end(), out.begin() + static_cast<std::ptrdiff_t>(i));
        }
    });
}

template <class T, Generator generator>
void uniform(benchmark::State& state) {
    measure<T, generator>(state, [](const Address& a, std::span<T> out) { fill_uniform(a, out); });
}

template <Generator generator>
void normal(benchmark::State& state) {
    measure<double, generator>(state, [](const Address& a, std::span<double> out) { fill_normal(a, out); });
}

template <Generator generator>
void normal_float(benchmark::State& state) {
    measure<float, generator>(state, [](const Address& a, std::span<float> out) { fill_normal(a, 0, out); });
}

template <Generator generator>
void exponential(benchmark::State& state) {
    measure<double, generator>(state, [](const Address& a, std::span<double> out) { fill_exponential(a, out); });
}

template <class T, Generator generator>
void bernoulli(benchmark::State& state) {
    std::vector<float> probabilities(n_elements);
    fill_uniform({.seed = 3}, std::span<float>(probabilities));
    measure<T, generator>(state, [&](const Address& a, std::span<T> out) { fill_bernoulli(a, probabilities, out); });
}

constexpr Index n_lanes = 64;

template <Generator generator>
void lanes_uniform(benchmark::State& state) {
    measure<double, generator>(state,
                               [](const Address& a, std::span<double> out) { fill_uniform_lanes(a, n_lanes, out); });
}

template <class T, Generator generator>
void lanes_normal(benchmark::State& state) {
    measure<T, generator>(state, [](const Address& a, std::span<T> out) { fill_normal_lanes(a, n_lanes, out); });
}

template <Generator generator>
void stream_uniform(benchmark::State& state) {
    measure<double, generator>(state, [](const Address& a, std::span<double> out) {
        Stream stream(a);
        for (double& value : out)
            value = stream.uniform();
    });
}

template <Generator generator>
void stream_normal(benchmark::State& state) {
    measure<double, generator>(state, [](const Address& a, std::span<double> out) {
        Stream stream(a);
        for (double& value : out)
            value = stream.normal();
    });
}

BENCHMARK(bits<philox>);
BENCHMARK(bits<ars>);
BENCHMARK(bits_random123);
BENCHMARK(uniform<float, philox>);
BENCHMARK(uniform<float, ars>);
BENCHMARK(uniform<double, philox>);
BENCHMARK(uniform<double, ars>);
BENCHMARK(normal<philox>);
BENCHMARK(normal<ars>);
BENCHMARK(normal_float<philox>);
BENCHMARK(normal_float<ars>);
BENCHMARK(exponential<philox>);
BENCHMARK(exponential<ars>);
BENCHMARK(bernoulli<float, philox>);
BENCHMARK(bernoulli<float, ars>);
BENCHMARK(bernoulli<std::int8_t, philox>);
BENCHMARK(bernoulli<std::int8_t, ars>);
BENCHMARK(lanes_uniform<philox>);
BENCHMARK(lanes_uniform<ars>);
BENCHMARK(lanes_normal<double, philox>);
BENCHMARK(lanes_normal<double, ars>);
BENCHMARK(lanes_normal<float, philox>);
BENCHMARK(lanes_normal<float, ars>);
BENCHMARK(stream_uniform<philox>);
BENCHMARK(stream_uniform<ars>);
BENCHMARK(stream_normal<philox>);
BENCHMARK(stream_normal<ars>);

} // namespace

BENCHMARK_MAIN();
