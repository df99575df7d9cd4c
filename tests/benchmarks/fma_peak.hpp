#pragma once
/// The largest rate of fused multiply-adds of a core, for each instruction set: the ceiling of kernels that multiply.

#include "pearlite/core/types.hpp"
#include "simd/instructions.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <ctime>

namespace pearlite::benchmarks {

/// `rounds` times 24 independent multiply-adds of a register of floats, or doubles, each; returns their number of
/// floating-point operations. `seed` keeps them from being computed beforehand, and takes their sum.
template <class Instructions>
double multiply_and_add(Index rounds, float& seed);
template <class Instructions>
double multiply_and_add(Index rounds, double& seed);

/// The most floating-point operations per second of processor time that a few attempts reach. Measured once.
template <class Real>
double most_flops_per_second() {
    static const double most = [] {
        double best = 0;
        Real seed = Real(0.5);
        for (int attempt = 0; attempt < 20; ++attempt) {
            const std::clock_t begin = std::clock(); // CPU time, as counters are
            const double flops =
                simd::on_this_cpu([&](auto cpu) { return multiply_and_add<decltype(cpu)>(200'000, seed); });
            best = std::max(best, flops * CLOCKS_PER_SEC / static_cast<double>(std::clock() - begin));
        }
        benchmark::DoNotOptimize(seed);
        return best;
    }();
    return most;
}

} // namespace pearlite::benchmarks
