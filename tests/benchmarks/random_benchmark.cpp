/// Random numbers per second and core. Buffers stay in the second-level cache, so the times are those of generators.

#include "random/fill.hpp"

#include <Random123/philox.h>
#include <benchmark/benchmark.h>
#include <vector>

namespace {

using namespace pearlite::random;

constexpr std::size_t n_elements = 1 << 15;

/// Times fill(address, buffer) for a new step each time; items are elements.
template <class T, class Fill>
void measure(benchmark::State& state, Fill fill) {
    std::vector<T> buffer(n_elements);
    Address address{.seed = 1, .purpose = Purpose::test, .id = 2, .step = 0};
    for (auto _ : state) {
        fill(address, std::span<T>(buffer));
        ++address.step;
        benchmark::DoNotOptimize(buffer.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n_elements));
}

void bits(benchmark::State& state) {
    measure<std::uint32_t>(state, [](const Address& a, std::span<std::uint32_t> out) { fill_bits(a, out); });
}

void bits_random123(benchmark::State& state) {
    measure<std::uint32_t>(state, [](const Address& a, std::span<std::uint32_t> out) {
        r123::Philox4x32 philox;
        for (std::size_t i = 0; i < out.size(); i += 4) {
            const auto words = philox({{static_cast<std::uint32_t>(i / 4), a.step, 2, 3}}, {{1, 0}});
            std::copy(words.begin(), words.end(), out.begin() + static_cast<std::ptrdiff_t>(i));
        }
    });
}

void uniform_float(benchmark::State& state) {
    measure<float>(state, [](const Address& a, std::span<float> out) { fill_uniform(a, out); });
}

void uniform_double(benchmark::State& state) {
    measure<double>(state, [](const Address& a, std::span<double> out) { fill_uniform(a, out); });
}

void normal(benchmark::State& state) {
    measure<double>(state, [](const Address& a, std::span<double> out) { fill_normal(a, out); });
}

void exponential(benchmark::State& state) {
    measure<double>(state, [](const Address& a, std::span<double> out) { fill_exponential(a, out); });
}

template <class T>
void bernoulli(benchmark::State& state) {
    std::vector<float> probabilities(n_elements);
    fill_uniform({.seed = 3}, std::span<float>(probabilities));
    measure<T>(state, [&](const Address& a, std::span<T> out) { fill_bernoulli(a, probabilities, out); });
}

void stream_uniform(benchmark::State& state) {
    measure<double>(state, [](const Address& a, std::span<double> out) {
        Stream stream(a);
        for (double& value : out)
            value = stream.uniform();
    });
}

void stream_normal(benchmark::State& state) {
    measure<double>(state, [](const Address& a, std::span<double> out) {
        Stream stream(a);
        for (double& value : out)
            value = stream.normal();
    });
}

BENCHMARK(bits);
BENCHMARK(bits_random123);
BENCHMARK(uniform_float);
BENCHMARK(uniform_double);
BENCHMARK(normal);
BENCHMARK(exponential);
BENCHMARK(bernoulli<float>);
BENCHMARK(bernoulli<std::int8_t>);
BENCHMARK(stream_uniform);
BENCHMARK(stream_normal);

} // namespace

BENCHMARK_MAIN();
