#include "rbm_products.hpp"

#include "rbm_lanes.hpp"

#include "pearlite/core/contract.hpp"

#include <algorithm>

namespace pearlite::models::detail {

namespace {

using Lanes = FloatLanes;
using Packet = Lanes::Packet;

// A tile of the result stays in registers: 24 of the 32 of AVX-512, 12 of the 16 of AVX2. Its shape does not change a
// bit of the result.
constexpr Index packets_per_panel = 3;
#ifdef __AVX512F__
constexpr Index chains_per_tile = 8;
#else
constexpr Index chains_per_tile = 4;
#endif
static_assert(block_padding % chains_per_tile == 0 && block_padding % Lanes::size == 0);

/// A panel of n_packets packets of rows times the units of chains_per_tile chains.
template <Index n_packets>
[[gnu::noinline]] void multiply_tile(const float* start, const float* panel, Index depth, const float* units,
                                     Index units_stride, float* out, Index out_stride) {
    Packet sum[n_packets][chains_per_tile];
#pragma GCC unroll 8
    for (Index chain = 0; chain < chains_per_tile; ++chain)
#pragma GCC unroll 3
        for (Index p = 0; p < n_packets; ++p)
            sum[p][chain] = load<Lanes>(start + p * Lanes::size);
    for (Index k = 0; k < depth; ++k) {
        Packet weights[n_packets];
#pragma GCC unroll 3
        for (Index p = 0; p < n_packets; ++p)
            weights[p] = load<Lanes>(panel + (k * n_packets + p) * Lanes::size);
#pragma GCC unroll 8
        for (Index chain = 0; chain < chains_per_tile; ++chain) {
            const Packet unit = Packet{} + units[chain * units_stride + k];
#pragma GCC unroll 3
            for (Index p = 0; p < n_packets; ++p)
                sum[p][chain] = fused_multiply_add<Lanes>(weights[p], unit, sum[p][chain]);
        }
    }
#pragma GCC unroll 8
    for (Index chain = 0; chain < chains_per_tile; ++chain)
#pragma GCC unroll 3
        for (Index p = 0; p < n_packets; ++p)
            packet_at<Lanes>(out + chain * out_stride + p * Lanes::size) = sum[p][chain];
}

/// Rows of the panel that starts at `row`.
Index panel_rows(Index row, Index rows) {
    return std::min(rows - row, packets_per_panel * Lanes::size);
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
        const auto multiply = height == 3 * Lanes::size   ? multiply_tile<3>
                              : height == 2 * Lanes::size ? multiply_tile<2>
                                                          : multiply_tile<1>;
        for (Index chain = 0; chain < out.cols(); chain += chains_per_tile)
            multiply(start.data() + row, panels.data() + row * depth, depth, units.col(chain).data(), units.rows(),
                     out.col(chain).data() + row, out.rows());
    }
}

} // namespace pearlite::models::detail
