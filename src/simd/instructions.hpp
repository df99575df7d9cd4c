#pragma once
/// Kernels that are compiled for several instruction sets, of which the program chooses when it runs. A kernel is a
/// function template whose only parameter names its instructions:
///
///     template <class Instructions> void twice(std::span<double> x);                             // in a header
///     template <class> void twice(std::span<double> x) { ... }                                   // x_kernels.cpp
///     template void twice<simd::Compiled>(std::span<double>);                                    // x_kernels.cpp
///     simd::on_this_cpu([&](auto cpu) { twice<decltype(cpu)>(x); });                             // anywhere
///
/// Sources named *_kernels.cpp are compiled once for each set (cmake/PearliteKernels.cmake). All give the same bits, so
/// that nothing in them may depend on how wide registers are: sums over lanes, Eigen's sums and products.

namespace pearlite::simd {

/// The instructions of all x86-64-v3 CPUs: AVX2 and fused multiply-adds.
struct Baseline {};
/// x86-64-v4.
struct Avx512 {};
/// x86-64-v4 and AES rounds on registers of 512 bits, for what draws bit planes: sources named *_plane_kernels.cpp.
struct Avx512Aes {};

#if defined(PEARLITE_INSTRUCTIONS)
/// The instruction set that this object is compiled for.
using Compiled = PEARLITE_INSTRUCTIONS;
#endif

/// Whether kernels run on AVX-512: simd/path.hpp has the choice.
bool runs_avx512();
/// Whether kernels that exist for it run on AVX-512 with AES.
bool runs_avx512_aes();

/// function(Avx512{}) or function(Baseline{}).
template <class Function>
decltype(auto) on_this_cpu(Function&& function) {
    return runs_avx512() ? function(Avx512{}) : function(Baseline{});
}

/// function(Avx512Aes{}), or as on_this_cpu().
template <class Function>
decltype(auto) on_this_cpu_with_aes(Function&& function) {
    return runs_avx512_aes() ? function(Avx512Aes{}) : on_this_cpu(function);
}

} // namespace pearlite::simd
