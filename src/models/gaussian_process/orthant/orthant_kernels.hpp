#pragma once
/// The sweep over truncated normals, particles side by side.

#include "pearlite/core/types.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models {

/// Particles of a panel, whose variables are rows of as many numbers: three registers of AVX-512 floats.
inline constexpr Index panel_width = 48;

/// A Gibbs sweep of a panel: z_i | rest ~ N(mu_i, 1/S_ii) on the half line of sign y_i, mu_i = z_i - (S z)_i/S_ii, for
/// i in the given order, each by the slice update A.2 of Fraccaro, Paquet & Winther (2016): with e exponential and u
/// uniform, z moves to the place u of mu -+ sqrt((z - mu)^2 + 2 e/S_ii), cut at 0.
template <class Real>
struct OrthantSweep {
    const Real* precision; ///< S, n rows of `stride` numbers
    Index stride;
    const Real* signs;   ///< y: 1 or -1
    const Index* order;  ///< a permutation of 0 .. n-1
    const Real* uniform; ///< for the k-th of the order: panel_width numbers for e, as many for u
    Real* z;             ///< n x panel_width, aligned to 64 bytes
    Index n;
};

template <class Instructions>
struct OrthantKernels {
    static void sweep(const OrthantSweep<float>& task);
    static void sweep(const OrthantSweep<double>& task);
    /// out[lane] = sum_i weights[i] z[i][lane], in double precision.
    static void project(const float* z, const double* weights, Index n, double* out);
    static void project(const double* z, const double* weights, Index n, double* out);
    /// out[lane] = sum_ik z[i][lane] a[i][k] z[k][lane] of a symmetric a, n rows of `stride` numbers.
    static void square(const double* z, const double* a, Index stride, Index n, double* out);
};

} // namespace pearlite::models
