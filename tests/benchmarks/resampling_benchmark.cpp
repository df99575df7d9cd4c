/// Resampling 10^5 particles of 2 KiB in place on one rank, against memcpy of the bytes that it copies. Counters:
/// `times_copied` is the ratio of the best times, `copied` the share of the population that is a surplus copy,
/// `times_all` the ratio to a memcpy of the whole population.

#include "pearlite/core/column_block.hpp"
#include "pearlite/random/stream.hpp"
#include "population/population.hpp"
#include "population/resampling.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace pearlite;
using Particles = ColumnBlock<double>;

constexpr Index n_particles = 100000;
constexpr Index dimension = 256; // 2 KiB of doubles
constexpr Index block_size = 64;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Particles of 2 KiB to and from places as scattered as those of a resampling: every second one, to its neighbour.
class PlainCopy {
  public:
    PlainCopy() : bytes_(n_particles * particle_bytes, std::byte{1}) {}

    /// Seconds for n copies.
    double operator()(Index n) {
        return seconds_of([&] {
            for (Index i = 0; i < n; ++i) {
                const auto pair = static_cast<std::size_t>(i % (n_particles / 2)) * 2 * particle_bytes;
                std::memcpy(bytes_.data() + pair + particle_bytes, bytes_.data() + pair, particle_bytes);
            }
            benchmark::ClobberMemory();
        });
    }

  private:
    static constexpr std::size_t particle_bytes = dimension * sizeof(double);
    std::vector<std::byte> bytes_;
};

void resample(benchmark::State& state) {
    const auto ranks = parallel::Communicator::alone();
    population::Population population(
        ranks, [](Index size) { return std::make_unique<BlockOf<Particles>>(Particles(dimension, size)); },
        dimension * sizeof(double));
    auto& generation = population.append(n_particles, block_size);
    std::vector<double> log_weights;
    for (Index i = 0; i < n_particles; ++i)
        log_weights.push_back(random::Stream({1, random::Purpose::test, static_cast<std::uint64_t>(i), 0}).normal());

    PlainCopy plain;
    double best = std::numeric_limits<double>::infinity(), best_copied = best, best_all = best;
    Index copies = 0;
    std::uint32_t step = 0;
    for (auto _ : state) {
        generation.log_weights() = log_weights;
        const double elapsed = seconds_of([&] {
            const auto numbers = population::offspring(ranks, generation.layout(), 0, generation.log_weights(),
                                                       population::Resampling::systematic, 1, ++step);
            copies = population::relocate(ranks, generation, numbers, population.particle_bytes()).local_copies;
        });
        state.SetIterationTime(elapsed);
        best = std::min(best, elapsed);
        best_copied = std::min(best_copied, plain(copies));
        best_all = std::min(best_all, plain(n_particles));
    }
    state.counters["copied"] = static_cast<double>(copies) / static_cast<double>(n_particles);
    state.counters["times_copied"] = best / best_copied;
    state.counters["times_all"] = best / best_all;
}
BENCHMARK(resample)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
