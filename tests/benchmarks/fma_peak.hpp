#pragma once
/// As many fused multiply-adds as a core can make, for each instruction set: the ceiling of kernels that multiply.

#include "pearlite/core/types.hpp"

namespace pearlite::benchmarks {

/// `rounds` times 24 independent multiply-adds of a register of floats, or doubles, each; returns their number of
/// floating-point operations. `seed` keeps them from being computed beforehand, and takes their sum.
template <class Instructions>
double multiply_and_add(Index rounds, float& seed);
template <class Instructions>
double multiply_and_add(Index rounds, double& seed);

} // namespace pearlite::benchmarks
