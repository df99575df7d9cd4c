/// Energies per second of one core, many chains in vector lanes against a plain loop that takes one chain after
/// another: rotated Rastrigin of 30 dimensions, the AB protein of 55 monomers in the plane and in space. The counter
/// `energies` is evaluations per second; `times_plain` is the ratio of the two; `of_ceiling` the share of the time that
/// the core's multipliers alone take for the rotation, turn by turn a quarter of a product's work; cosines are left
/// out.

#include "fma_peak.hpp"
#include "plain_energies.hpp"

#include "random/fill.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <span>
#include <vector>

namespace {

using namespace plain_energies;
using pearlite::Index;
using pearlite::model::LaneMatrix;
using pearlite::models::AbProtein;
using pearlite::models::TestFunction;
using Energy = pearlite::models::AbProteinSettings::Energy;

constexpr Index chains = 64;

/// p chains, uniform in `share` of the box.
template <class E>
LaneMatrix random_points(const E& energy, double share) {
    LaneMatrix points(energy.dimension(), chains);
    pearlite::random::fill_uniform({1}, std::span(points.data(), static_cast<std::size_t>(points.size())));
    return (share * energy.upper()[0] * (2 * points.array() - 1)).matrix();
}

double plain_rastrigin_rate() {
    static const double rate = measured_rate(PlainRastrigin{}, std::vector<double>(30, 1.0));
    return rate;
}

double plain_planar_rate() {
    static const double rate = measured_rate(PlainPlanarProtein{}, std::vector<double>(monomers - 2, 0.1));
    return rate;
}

double library_spatial_rate() {
    static const double rate = [] {
        const AbProtein spatial = protein(Energy::stillinger);
        const auto d = static_cast<std::size_t>(spatial.dimension());
        return measured_rate([&](const double* x) { return spatial.energy({x, d}); }, std::vector<double>(d, 0.1));
    }();
    return rate;
}

template <class E>
void lanes(benchmark::State& state, const E& energy, double share, double (*plain_rate)(), double flops = 0) {
    const LaneMatrix points = random_points(energy, share);
    std::vector<double> out(chains);
    for (auto _ : state) {
        energy.energies(points, out);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    const double energies = static_cast<double>(state.iterations()) * chains;
    state.counters["energies"] = benchmark::Counter(energies, benchmark::Counter::kIsRate);
    state.counters["times_plain"] = benchmark::Counter(energies / plain_rate(), benchmark::Counter::kIsRate);
    if (flops > 0)
        state.counters["of_ceiling"] = benchmark::Counter(
            energies * flops / pearlite::benchmarks::most_flops_per_second<double>(), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(lanes, rastrigin, rastrigin(), 1.0, plain_rastrigin_rate, 2.0 * 30 * 30 / 4);
BENCHMARK_CAPTURE(lanes, protein_in_the_plane, protein(Energy::planar), 0.1, plain_planar_rate);
BENCHMARK_CAPTURE(lanes, protein_in_space, protein(Energy::stillinger), 0.1, library_spatial_rate);

/// Whether the plain programs compute the same as the library.
bool plain_programs_are_right() {
    const TestFunction function = rastrigin();
    const AbProtein planar = protein(Energy::planar);
    const std::vector<double> x(30, 1.3);
    const std::vector<double> bends(monomers - 2, 0.1);
    const auto agree = [](double a, double b) { return std::abs(a - b) < 1e-9 * std::abs(b); };
    return agree(PlainRastrigin{}(x.data()), function.energy(x)) &&
           agree(PlainPlanarProtein{}(bends.data()), planar.energy(bends));
}

} // namespace

int main(int argc, char** argv) {
    if (!plain_programs_are_right()) {
        return 1;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
