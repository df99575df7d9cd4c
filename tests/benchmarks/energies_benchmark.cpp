/// Energies per second of one core, many chains in vector lanes against a plain loop that takes one chain after
/// another: rotated Rastrigin of 30 dimensions, the AB protein of 55 monomers in the plane and in space. The counter
/// `energies` is evaluations per second; `times_plain` is the ratio of the two.

#include "pearlite/models/ab_protein.hpp"
#include "pearlite/models/test_functions.hpp"
#include "pearlite/random/fill.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numbers>
#include <span>
#include <string>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::Matrix;
using pearlite::model::LaneMatrix;
using pearlite::models::AbProtein;
using pearlite::models::TestFunction;
using Energy = pearlite::models::AbProteinSettings::Energy;

constexpr Index chains = 64;
constexpr Index monomers = 55;

/// p chains, uniform in `share` of the box.
template <class E>
LaneMatrix random_points(const E& energy, double share) {
    LaneMatrix points(energy.dimension(), chains);
    pearlite::random::fill_uniform({1}, std::span(points.data(), static_cast<std::size_t>(points.size())));
    return (share * energy.upper()[0] * (2 * points.array() - 1)).matrix();
}

TestFunction rastrigin() {
    return TestFunction({.dimension = 30, .rotated = true});
}

AbProtein protein(Energy energy) {
    return AbProtein({.sequence = pearlite::models::fibonacci_sequence(monomers), .energy = energy});
}

/// The textbook programs.
class PlainRastrigin {
  public:
    PlainRastrigin() : rows_(rastrigin().rotation().transpose()) {}
    double operator()(const double* x) const {
        double sum = 0;
        for (Index i = 0; i < rows_.cols(); ++i) {
            double z = 0;
            for (Index j = 0; j < rows_.rows(); ++j)
                z += rows_(j, i) * x[j];
            sum += z * z - 10 * std::cos(2 * std::numbers::pi * z) + 10;
        }
        return sum;
    }

  private:
    Matrix rows_; ///< row i of the rotation is column i
};

class PlainPlanarProtein {
  public:
    PlainPlanarProtein() {
        const std::string sequence = pearlite::models::fibonacci_sequence(monomers);
        for (std::size_t i = 0; i < coupling_.size(); ++i) {
            for (std::size_t j = 0; j < coupling_.size(); ++j)
                coupling_[i][j] = sequence[i] != sequence[j] ? -0.5 : sequence[i] == 'A' ? 1 : 0.5;
        }
    }
    double operator()(const double* x) const {
        std::array<double, monomers> east{};
        std::array<double, monomers> north{};
        double direction = 0;
        double sum = 0;
        for (std::size_t i = 1; i < east.size(); ++i) {
            if (i > 1) {
                direction += x[i - 2];
                sum += 0.25 * (1 - std::cos(x[i - 2]));
            }
            east[i] = east[i - 1] + std::cos(direction);
            north[i] = north[i - 1] + std::sin(direction);
        }
        for (std::size_t i = 0; i < east.size(); ++i) {
            for (std::size_t j = i + 2; j < east.size(); ++j) {
                const double dx = east[i] - east[j];
                const double dy = north[i] - north[j];
                const double q = 1 / (dx * dx + dy * dy);
                const double q3 = q * q * q;
                sum += 4 * q3 * (q3 - coupling_[i][j]);
            }
        }
        return sum;
    }

  private:
    std::array<std::array<double, monomers>, monomers> coupling_{};
};

template <class Plain>
double measured_rate(const Plain& plain, std::vector<double> x) {
    constexpr int evaluations = 20000;
    double best = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const std::clock_t begin = std::clock(); // CPU time, as the counters are
        for (int k = 0; k < evaluations; ++k) {
            benchmark::DoNotOptimize(plain(x.data()));
            x[0] += 1e-9;
        }
        const double elapsed_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        best = std::max(best, evaluations / elapsed_seconds);
    }
    return best;
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
void lanes(benchmark::State& state, const E& energy, double share, double (*plain_rate)()) {
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
}
BENCHMARK_CAPTURE(lanes, rastrigin, rastrigin(), 1.0, plain_rastrigin_rate);
BENCHMARK_CAPTURE(lanes, protein_in_the_plane, protein(Energy::planar), 0.1, plain_planar_rate);
BENCHMARK_CAPTURE(lanes, protein_in_space, protein(Energy::stillinger), 0.1, library_spatial_rate);

/// The plain programs compute what the library does.
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
