// Eight variables at a time: the products of their rows of S with all variables stay in registers, and are corrected as
// the eight change one by one. S is read by broadcasts.
#include "models/gaussian_process/orthant/orthant_kernels.hpp"

#include "simd/elementary.hpp"

#include <algorithm>

namespace pearlite::models {

namespace {

using simd::broadcast;
using simd::fused;
using simd::load;

constexpr Index rows_at_once = 8;
constexpr std::size_t vectors = 3;
/// Rows whose products fit into the registers together.
constexpr Index rows_in_registers = simd::register_bytes == 64 ? 8 : 4;

/// -2 log(u).
[[gnu::always_inline]] inline simd::Floats minus_two_log(simd::Floats u) {
    return simd::log2(u) * (-2 * std::numbers::ln2_v<float>);
}
[[gnu::always_inline]] inline simd::Doubles minus_two_log(simd::Doubles u) {
    return simd::log(u) * -2.0;
}

template <class P>
using Sums = std::array<std::array<P, vectors>, rows_at_once>;

/// sums[r] = sum_k rows[r][k] z[k], for a number of rows from `first` on. It is a separate function: inlined beside a
/// caller's constants, the compiler keeps a third of the sums in memory, at half the speed.
template <class P, class Real>
[[gnu::noinline]] void multiply(const std::array<const Real*, rows_at_once>& rows, std::size_t first, const Real* z,
                                Index n, Sums<P>& sums) {
    std::array<std::array<P, vectors>, rows_in_registers> all{};
    for (Index k = 0; k < n; ++k, z += panel_width) {
        std::array<P, vectors> values;
#pragma GCC unroll 3
        for (std::size_t v = 0; v < vectors; ++v)
            values[v] = load<P>(z + static_cast<Index>(v) * simd::lanes<P>);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows_in_registers); ++r) {
            const P factor = broadcast<P>(rows[first + r][k]);
#pragma GCC unroll 3
            for (std::size_t v = 0; v < vectors; ++v)
                all[r][v] = fused(factor, values[v], all[r][v]);
        }
    }
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows_in_registers); ++r)
        sums[first + r] = all[r];
}

/// The lanes of a panel from `lane` on that three registers hold.
template <class P, class Real>
void sweep_lanes(const OrthantSweep<Real>& task, Index lane) {
    Real* const z = task.z + lane;
    for (Index group = 0; group < task.n; group += rows_at_once) {
        const auto members = static_cast<std::size_t>(std::min(rows_at_once, task.n - group));
        std::array<const Real*, rows_at_once> rows;
        for (std::size_t r = 0; r < rows.size(); ++r)
            rows[r] = task.precision + task.order[group + static_cast<Index>(std::min(r, members - 1))] * task.stride;
        Sums<P> sums;
        for (std::size_t first = 0; first < static_cast<std::size_t>(rows_at_once);
             first += static_cast<std::size_t>(rows_in_registers))
            if (first < members)
                multiply<P>(rows, first, z, task.n, sums);
        for (std::size_t r = 0; r < members; ++r) {
            const Index i = task.order[group + static_cast<Index>(r)];
            const Real inverse = 1 / rows[r][i];
            const bool is_positive = task.signs[i] > 0;
            constexpr Real far = static_cast<Real>(1e30);
            const P low = broadcast<P>(is_positive ? Real{0} : -far), high = broadcast<P>(is_positive ? far : Real{0});
            const Real* uniform = task.uniform + (group + static_cast<Index>(r)) * 2 * panel_width + lane;
            std::array<P, vectors> change;
#pragma GCC unroll 3
            for (std::size_t v = 0; v < vectors; ++v) {
                const Index at = static_cast<Index>(v) * simd::lanes<P>;
                const P old = load<P>(z + i * panel_width + at), distance = sums[r][v] * inverse;
                const P mu = old - distance;
                const P reach =
                    simd::square_root(fused(distance, distance, minus_two_log(load<P>(uniform + at)) * inverse));
                const P from = simd::larger(mu - reach, low), to = simd::smaller(mu + reach, high);
                const P moved = fused(load<P>(uniform + panel_width + at), to - from, from);
                const P next = simd::smaller(simd::larger(moved, low), high);
                simd::store(z + i * panel_width + at, next);
                change[v] = next - old;
            }
            for (std::size_t later = r + 1; later < members; ++later) {
                const P factor = broadcast<P>(rows[later][i]);
#pragma GCC unroll 3
                for (std::size_t v = 0; v < vectors; ++v)
                    sums[later][v] = fused(factor, change[v], sums[later][v]);
            }
        }
    }
}

template <class P, class Real>
void sweep_panel(const OrthantSweep<Real>& task) {
    for (Index lane = 0; lane < panel_width; lane += static_cast<Index>(vectors) * simd::lanes<P>)
        sweep_lanes<P>(task, lane);
}

/// A lane for each particle.
template <class Real>
void project_rows(const Real* z, const double* weights, Index n, double* out) {
    using P = simd::Doubles;
    for (Index lane = 0; lane < panel_width; lane += simd::lanes<P>) {
        P sum{};
        for (Index i = 0; i < n; ++i) {
            P value;
            if constexpr (std::is_same_v<Real, double>)
                value = load<P>(z + i * panel_width + lane);
            else
                for (Index k = 0; k < simd::lanes<P>; ++k)
                    value[k] = static_cast<double>(z[i * panel_width + lane + k]);
            sum = fused(broadcast<P>(weights[i]), value, sum);
        }
        simd::store_anywhere(out + lane, sum);
    }
}

/// The lanes of a panel from `lane` on that three registers hold.
void square_lanes(const double* z, const double* a, Index stride, Index n, double* out) {
    using P = simd::Doubles;
    std::array<P, vectors> total{};
    for (Index group = 0; group < n; group += rows_at_once) {
        const auto members = static_cast<std::size_t>(std::min(rows_at_once, n - group));
        std::array<const double*, rows_at_once> rows;
        for (std::size_t r = 0; r < rows.size(); ++r)
            rows[r] = a + (group + static_cast<Index>(std::min(r, members - 1))) * stride;
        Sums<P> sums;
        for (std::size_t first = 0; first < members; first += static_cast<std::size_t>(rows_in_registers))
            multiply<P>(rows, first, z, n, sums);
        for (std::size_t r = 0; r < members; ++r)
            for (std::size_t v = 0; v < vectors; ++v)
                total[v] = fused(
                    load<P>(z + (group + static_cast<Index>(r)) * panel_width + static_cast<Index>(v) * simd::lanes<P>),
                    sums[r][v], total[v]);
    }
    for (std::size_t v = 0; v < vectors; ++v)
        simd::store_anywhere(out + static_cast<Index>(v) * simd::lanes<P>, total[v]);
}

} // namespace

template <class Instructions>
void OrthantKernels<Instructions>::square(const double* z, const double* a, Index stride, Index n, double* out) {
    for (Index lane = 0; lane < panel_width; lane += static_cast<Index>(vectors) * simd::lanes<simd::Doubles>)
        square_lanes(z + lane, a, stride, n, out + lane);
}

template <class Instructions>
void OrthantKernels<Instructions>::sweep(const OrthantSweep<float>& task) {
    sweep_panel<simd::Floats>(task);
}

template <class Instructions>
void OrthantKernels<Instructions>::sweep(const OrthantSweep<double>& task) {
    sweep_panel<simd::Doubles>(task);
}

template <class Instructions>
void OrthantKernels<Instructions>::project(const float* z, const double* weights, Index n, double* out) {
    project_rows(z, weights, n, out);
}

template <class Instructions>
void OrthantKernels<Instructions>::project(const double* z, const double* weights, Index n, double* out) {
    project_rows(z, weights, n, out);
}

template struct OrthantKernels<simd::Compiled>;

} // namespace pearlite::models
