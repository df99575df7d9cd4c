/// Spin updates per second of one core on the 32 x 32 Ising model at b = 0.44: the bit-plane model against a plain loop
/// that runs one chain after another. The counter `attempts` is sites x chains per second; `times_plain` is the ratio
/// of the two; `of_ceiling` the share of the time that the CPU's AES instructions alone take for the random bits.

#include "aes_peak.hpp"
#include "models/lattice/ising.hpp"
#include "random/ars/kernels.hpp"
#include "simd/plane_comparison.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::models::Ising;
using pearlite::models::IsingBlock;
using pearlite::models::IsingSettings;
using pearlite::random::Generator;

constexpr int side = 32;
constexpr double inverse_temperature = 0.44;

/// The textbook program: spins as bytes, a table of acceptance thresholds, a fast sequential generator.
class PlainIsing {
  public:
    PlainIsing() : spins_(side * side, 1) {
        for (int n = 0; n < 5; ++n) { // n satisfied bonds of 4: dE = 4 n - 8
            const double probability = std::exp(-inverse_temperature * (4 * n - 8));
            thresholds_[n] =
                probability >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::ldexp(probability, 64));
        }
    }

    void sweep() {
        for (int row = 0; row < side; ++row) {
            const int up = (row + side - 1) % side * side;
            const int down = (row + 1) % side * side;
            for (int column = 0; column < side; ++column) {
                std::int8_t& spin = spins_[row * side + column];
                const int field = spins_[row * side + (column + 1) % side] +
                                  spins_[row * side + (column + side - 1) % side] + spins_[up + column] +
                                  spins_[down + column];
                if (uniform() <= thresholds_[(spin * field + 4) / 2]) {
                    spin = static_cast<std::int8_t>(-spin);
                }
            }
        }
    }
    int spin(int site) const { return spins_[site]; }

  private:
    /// xoroshiro128+ (Blackman & Vigna 2018).
    std::uint64_t uniform() {
        const std::uint64_t result = a_ + b_;
        b_ ^= a_;
        a_ = ((a_ << 24) | (a_ >> 40)) ^ b_ ^ (b_ << 16);
        b_ = (b_ << 37) | (b_ >> 27);
        return result;
    }

    std::vector<std::int8_t> spins_;
    std::array<std::uint64_t, 5> thresholds_{};
    std::uint64_t a_ = 0x9E3779B97F4A7C15u;
    std::uint64_t b_ = 0xBF58476D1CE4E5B9u;
};

double plain_attempts_per_second() {
    static const double rate = [] { // measured once: the reference of every row
        PlainIsing chain;
        double best = 0;
        for (int repeat = 0; repeat < 5; ++repeat) {
            const std::clock_t begin = std::clock(); // CPU time, as the counters are
            for (int sweep = 0; sweep < 2000; ++sweep) {
                chain.sweep();
            }
            const double elapsed_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            benchmark::DoNotOptimize(chain.spin(0));
            best = std::max(best, 2000.0 * side * side / elapsed_seconds);
        }
        return best;
    }();
    return rate;
}

void report(benchmark::State& state, Index chains) {
    const double attempts = static_cast<double>(state.iterations()) * static_cast<double>(chains) * side * side;
    state.counters["attempts"] = benchmark::Counter(attempts, benchmark::Counter::kIsRate);
    state.counters["times_plain"] =
        benchmark::Counter(attempts / plain_attempts_per_second(), benchmark::Counter::kIsRate);
}

void plain_loop(benchmark::State& state) {
    PlainIsing chain;
    for (auto _ : state) {
        chain.sweep();
    }
    benchmark::DoNotOptimize(chain.spin(0));
    report(state, 1);
}
BENCHMARK(plain_loop);

void anneal(benchmark::State& state, const IsingSettings& settings, Generator generator = Generator::philox) {
    const Ising ising(settings);
    IsingBlock block = ising.make_block(IsingBlock::chains);
    pearlite::model::BlockStreams streams{{1, generator}};
    ising.draw_start(block, streams);
    std::vector<double> increments(IsingBlock::chains);
    std::vector<double> derivative(IsingBlock::chains);
    for (auto _ : state) {
        ++streams.step;
        ising.anneal(block, inverse_temperature, inverse_temperature, streams, increments, derivative);
        benchmark::DoNotOptimize(derivative.data());
    }
    report(state, IsingBlock::chains);
    const double most = pearlite::benchmarks::most_aes_rounds_per_second();
    if (generator == Generator::ars && most > 0) {
        constexpr int bits = pearlite::simd::bit_plane::leading_planes; // of each attempt; few need more
        const double attempts = static_cast<double>(state.iterations()) * IsingBlock::chains * side * side;
        state.counters["of_ceiling"] = benchmark::Counter(
            attempts * bits / 128 * pearlite::random::ars_kernels::rounds / most, benchmark::Counter::kIsRate);
    }
}
BENCHMARK_CAPTURE(anneal, metropolis, IsingSettings{.size = side});
BENCHMARK_CAPTURE(anneal, heat_bath, IsingSettings{.size = side, .move = IsingSettings::Move::heat_bath});
BENCHMARK_CAPTURE(anneal, random_site, IsingSettings{.size = side, .update = IsingSettings::Update::random_site});
BENCHMARK_CAPTURE(anneal, metropolis_ars, IsingSettings{.size = side}, Generator::ars);
BENCHMARK_CAPTURE(anneal, heat_bath_ars, IsingSettings{.size = side, .move = IsingSettings::Move::heat_bath},
                  Generator::ars);
BENCHMARK_CAPTURE(anneal, random_site_ars, IsingSettings{.size = side, .update = IsingSettings::Update::random_site},
                  Generator::ars);

void bond_sums(benchmark::State& state) {
    const Ising ising({.size = side});
    IsingBlock block = ising.make_block(IsingBlock::chains);
    ising.draw_start(block, {1});
    for (auto _ : state) {
        ising.prepare(block);
        benchmark::DoNotOptimize(block.bond_sums().data());
    }
}
BENCHMARK(bond_sums);

} // namespace

BENCHMARK_MAIN();
