#pragma once
/// The energies that benchmarks measure, and textbook programs for them: scalar, one chain after another, with the
/// library's sines.

#include "models/functions/test_functions.hpp"
#include "models/protein/ab_protein.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numbers>
#include <string>
#include <vector>

namespace plain_energies {

using pearlite::Index;
using pearlite::Matrix;
using pearlite::models::AbProtein;
using pearlite::models::TestFunction;
using Energy = pearlite::models::AbProteinSettings::Energy;

inline constexpr Index monomers = 55;

inline TestFunction rastrigin() {
    return TestFunction({.dimension = 30, .rotated = true});
}

inline AbProtein protein(Energy energy) {
    return AbProtein({.sequence = pearlite::models::fibonacci_sequence(monomers), .energy = energy});
}

/// The textbook program for rotated Rastrigin.
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

/// The textbook program for the AB protein in the plane.
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

/// Energies per second of `plain`, best of five.
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

} // namespace plain_energies
