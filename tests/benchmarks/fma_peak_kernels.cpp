#include "fma_peak.hpp"
#include "simd/elementary.hpp"
#include "simd/instructions.hpp"

#include <array>

namespace pearlite::benchmarks {

namespace {

template <class P, class Real>
double run(Index rounds, Real& seed) {
    constexpr std::size_t chains = simd::register_bytes == 64 ? 24 : 12; // registers are left for the factors
    constexpr Index each = 24 / static_cast<Index>(chains);
    std::array<P, chains> sums;
    for (std::size_t i = 0; i < chains; ++i)
        sums[i] = simd::broadcast<P>(seed * static_cast<Real>(i + 1));
    const P factor = simd::broadcast<P>(Real{1} - seed * Real(1e-3)), term = simd::broadcast<P>(seed);
    for (Index round = 0; round < rounds * each; ++round)
#pragma GCC unroll 24
        for (std::size_t i = 0; i < chains; ++i)
            sums[i] = simd::fused(sums[i], factor, term);
    P all = sums[0];
    for (std::size_t i = 1; i < chains; ++i)
        all = all + sums[i];
    seed += all[0] * Real(1e-30);
    return 2.0 * 24 * static_cast<double>(rounds) * static_cast<double>(simd::lanes<P>);
}

} // namespace

template <class>
double multiply_and_add(Index rounds, float& seed) {
    return run<simd::Floats>(rounds, seed);
}
template <class>
double multiply_and_add(Index rounds, double& seed) {
    return run<simd::Doubles>(rounds, seed);
}

template double multiply_and_add<simd::Compiled>(Index, float&);
template double multiply_and_add<simd::Compiled>(Index, double&);

} // namespace pearlite::benchmarks
