#include "models/rbm/rbm_kernels.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "simd/arithmetic.hpp"

#include <algorithm>

namespace pearlite::models::detail {

namespace {

using Packet = simd::Floats;
constexpr Index packet_rows = simd::lanes<Packet>;

// A tile of the result stays in registers: 24 of the 32 of AVX-512, 12 of the 16 of AVX2. Its shape does not change a
// bit of the result.
constexpr Index packets_per_panel = 3;
constexpr Index chains_per_tile = simd::register_bytes == 64 ? 8 : 4;
static_assert(block_padding % chains_per_tile == 0 && block_padding % packet_rows == 0);

/// A panel of n_packets packets of rows times the units of chains_per_tile chains.
template <Index n_packets>
[[gnu::noinline]] void multiply_tile(const float* start, const float* panel, Index depth, const float* units,
                                     Index units_stride, float* out, Index out_stride) {
    Packet sum[n_packets][chains_per_tile];
#pragma GCC unroll 8
    for (Index chain = 0; chain < chains_per_tile; ++chain)
#pragma GCC unroll 3
        for (Index p = 0; p < n_packets; ++p)
            sum[p][chain] = simd::load<Packet>(start + p * packet_rows);
    for (Index k = 0; k < depth; ++k) {
        Packet weights[n_packets];
#pragma GCC unroll 3
        for (Index p = 0; p < n_packets; ++p)
            weights[p] = simd::load<Packet>(panel + (k * n_packets + p) * packet_rows);
#pragma GCC unroll 8
        for (Index chain = 0; chain < chains_per_tile; ++chain) {
            const Packet unit = simd::broadcast<Packet>(units[chain * units_stride + k]);
#pragma GCC unroll 3
            for (Index p = 0; p < n_packets; ++p)
                sum[p][chain] = simd::fused(weights[p], unit, sum[p][chain]);
        }
    }
#pragma GCC unroll 8
    for (Index chain = 0; chain < chains_per_tile; ++chain)
#pragma GCC unroll 3
        for (Index p = 0; p < n_packets; ++p)
            simd::store(out + chain * out_stride + p * packet_rows, sum[p][chain]);
}

/// Rows of the panel that starts at `row`.
Index panel_rows(Index row, Index rows) {
    return std::min(rows - row, packets_per_panel * packet_rows);
}

} // namespace

Eigen::VectorXf pack_panels(const Eigen::MatrixXf& matrix) {
    PEARLITE_EXPECTS(matrix.rows() % block_padding == 0);
    Eigen::VectorXf panels(matrix.size());
    Index position = 0;
    for (Index row = 0; row < matrix.rows(); row += panel_rows(row, matrix.rows())) {
        const Index height = panel_rows(row, matrix.rows());
        for (Index k = 0; k < matrix.cols(); ++k, position += height)
            panels.segment(position, height) = matrix.col(k).segment(row, height);
    }
    return panels;
}

void add_product(const Eigen::VectorXf& start, const Eigen::VectorXf& panels, Index depth, const Eigen::MatrixXf& units,
                 Eigen::MatrixXf& out) {
    const Index rows = out.rows();
    PEARLITE_EXPECTS(start.size() == rows && panels.size() == rows * depth && units.rows() >= depth);
    PEARLITE_EXPECTS(units.cols() == out.cols() && units.cols() % block_padding == 0);
    // A panel fits in the second-level cache and meets all chains before the next one comes.
    for (Index row = 0; row < rows; row += panel_rows(row, rows)) {
        const Index height = panel_rows(row, rows);
        const auto multiply = height == 3 * packet_rows   ? multiply_tile<3>
                              : height == 2 * packet_rows ? multiply_tile<2>
                                                          : multiply_tile<1>;
        for (Index chain = 0; chain < out.cols(); chain += chains_per_tile)
            multiply(start.data() + row, panels.data() + row * depth, depth, units.col(chain).data(), units.rows(),
                     out.col(chain).data() + row, out.rows());
    }
}

} // namespace pearlite::models::detail
