#pragma once
/// The implementation of ARS that the program runs on, chosen when it begins. All of them give the same bits.

#include "random/ars/kernels.hpp"
#include "simd/path.hpp"

#include <span>

namespace pearlite::random::ars_kernels {

/// The kernels that this CPU can run, in order of speed: the software first, the fastest last.
std::span<const Kernels* const> available_kernels();
/// The fastest for a path: PEARLITE_CPU=portable means the software, avx2 registers of 256 bits at most.
const Kernels& kernels_for(simd::Path path);

} // namespace pearlite::random::ars_kernels
