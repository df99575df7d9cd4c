/// Single-site updates per second of one core on the 32 x 32 Potts model at b J = 1: the bit-plane model against a
/// plain loop that runs one chain after another, its generator included. The counter `attempts` is proposals per
/// second, the bond sums that a move ends with included; `times_plain` is the ratio to the plain loop of as many
/// colours; `of_ceiling` the share of the time that the CPU's AES instructions alone take for the random bits.

#include "aes_peak.hpp"
#include "models/lattice/colour_draw.hpp"
#include "models/lattice/potts.hpp"
#include "random/ars/kernels.hpp"
#include "simd/plane_comparison.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <map>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::models::Potts;
using pearlite::models::PottsBlock;
using pearlite::models::PottsSettings;
using pearlite::random::Generator;

constexpr int side = 32;
constexpr double inverse_temperature = 1.0;

/// The textbook program: colours as bytes, a table of acceptance thresholds, a fast sequential generator.
class PlainPotts {
  public:
    explicit PlainPotts(int colours) : colours_(static_cast<std::uint64_t>(colours)), sites_(side * side, 0) {
        for (int lost = 1; lost <= 4; ++lost) {
            thresholds_[static_cast<std::size_t>(lost)] =
                static_cast<std::uint32_t>(std::ldexp(std::exp(-inverse_temperature * lost), 32));
        }
    }

    void sweep() {
        for (int row = 0; row < side; ++row) {
            const int up = (row + side - 1) % side * side;
            const int down = (row + 1) % side * side;
            for (int column = 0; column < side; ++column) {
                std::uint8_t& present = sites_[static_cast<std::size_t>(row * side + column)];
                const std::array<std::uint8_t, 4> neighbours{at(row * side + (column + 1) % side),
                                                             at(row * side + (column + side - 1) % side),
                                                             at(up + column), at(down + column)};
                // One number serves both: its upper half makes the colour, its lower half decides.
                const std::uint64_t random = uniform();
                const auto proposed = static_cast<std::uint8_t>((random >> 32) * colours_ >> 32);
                int lost = 0;
                for (const std::uint8_t neighbour : neighbours) {
                    lost += (neighbour == present) - (neighbour == proposed);
                }
                if (lost <= 0 || static_cast<std::uint32_t>(random) < thresholds_[static_cast<std::size_t>(lost)]) {
                    present = proposed;
                }
            }
        }
    }
    std::uint8_t at(int site) const { return sites_[static_cast<std::size_t>(site)]; }

  private:
    /// xoroshiro128+ (Blackman & Vigna 2018).
    std::uint64_t uniform() {
        const std::uint64_t result = a_ + b_;
        b_ ^= a_;
        a_ = ((a_ << 24) | (a_ >> 40)) ^ b_ ^ (b_ << 16);
        b_ = (b_ << 37) | (b_ >> 27);
        return result;
    }

    std::uint64_t colours_;
    std::vector<std::uint8_t> sites_;
    std::array<std::uint32_t, 5> thresholds_{};
    std::uint64_t a_ = 0x9E3779B97F4A7C15u;
    std::uint64_t b_ = 0xBF58476D1CE4E5B9u;
};

double measured_plain_rate(int colours) {
    PlainPotts chain(colours);
    double best = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const std::clock_t begin = std::clock(); // CPU time, as the counters are
        for (int sweep = 0; sweep < 1000; ++sweep) {
            chain.sweep();
        }
        const double elapsed_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        benchmark::DoNotOptimize(chain.at(0));
        best = std::max(best, 1000.0 * side * side / elapsed_seconds);
    }
    return best;
}

double plain_attempts_per_second(int colours) {
    static std::map<int, double> rates; // measured once: the reference of every row
    const auto found = rates.find(colours);
    return found != rates.end() ? found->second : rates[colours] = measured_plain_rate(colours);
}

void report(benchmark::State& state, int colours, Index chains, double proposing = 1) {
    const double attempts =
        static_cast<double>(state.iterations()) * static_cast<double>(chains) * side * side * proposing;
    state.counters["attempts"] = benchmark::Counter(attempts, benchmark::Counter::kIsRate);
    state.counters["times_plain"] =
        benchmark::Counter(attempts / plain_attempts_per_second(colours), benchmark::Counter::kIsRate);
}

void plain_loop(benchmark::State& state) {
    const int colours = static_cast<int>(state.range(0));
    PlainPotts chain(colours);
    for (auto _ : state) {
        chain.sweep();
    }
    benchmark::DoNotOptimize(chain.at(0));
    report(state, colours, 1);
}
BENCHMARK(plain_loop)->Arg(10);

void move(benchmark::State& state, PottsSettings::Update update, Generator generator = Generator::philox) {
    const int colours = static_cast<int>(state.range(0));
    const Potts potts({.size = side, .colours = colours, .coupling = 1, .update = update});
    PottsBlock block = potts.make_block(PottsBlock::chains);
    pearlite::model::BlockStreams streams{{1, generator}};
    potts.draw_start(block, streams);
    for (auto _ : state) {
        ++streams.step;
        potts.move(block, inverse_temperature, streams);
        benchmark::DoNotOptimize(block.equal_bonds().data());
    }
    const pearlite::models::ColourDraw draw(colours);
    report(state, colours, PottsBlock::chains, draw.proposing());
    const double most = pearlite::benchmarks::most_aes_rounds_per_second();
    if (generator == Generator::ars && most > 0) {
        const int bits = pearlite::simd::bit_plane::leading_planes + draw.planes(); // of each visit; few need more
        const double visits = static_cast<double>(state.iterations()) * PottsBlock::chains * side * side;
        state.counters["of_ceiling"] = benchmark::Counter(
            visits * bits / 128 * pearlite::random::ars_kernels::rounds / most, benchmark::Counter::kIsRate);
    }
}
BENCHMARK_CAPTURE(move, sweep, PottsSettings::Update::sweep)->Arg(10)->Arg(2)->Arg(3)->Arg(16)->Arg(100)->Arg(256);
BENCHMARK_CAPTURE(move, sweep_ars, PottsSettings::Update::sweep, Generator::ars)
    ->Arg(10)
    ->Arg(2)
    ->Arg(3)
    ->Arg(16)
    ->Arg(100)
    ->Arg(256);
BENCHMARK_CAPTURE(move, random_site, PottsSettings::Update::random_site)->Arg(10);
BENCHMARK_CAPTURE(move, random_site_ars, PottsSettings::Update::random_site, Generator::ars)->Arg(10);

void bond_sums(benchmark::State& state) {
    const Potts potts({.size = side, .colours = 10});
    PottsBlock block = potts.make_block(PottsBlock::chains);
    potts.draw_start(block, {1});
    for (auto _ : state) {
        potts.prepare(block);
        benchmark::DoNotOptimize(block.equal_bonds().data());
    }
}
BENCHMARK(bond_sums);

} // namespace

BENCHMARK_MAIN();
