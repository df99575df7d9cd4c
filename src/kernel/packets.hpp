#pragma once
/// Doubles of lane_padding chains at a time, for loops over the coordinates of chains in lanes.

#include "pearlite/model/energy.hpp"

#include <cstdint>
#include <span>

namespace pearlite::kernel::detail {

typedef double Packet __attribute__((vector_size(8 * lane_padding), may_alias));
/// All bits of a lane, or none: what comparisons of packets give.
typedef std::int64_t Mask __attribute__((vector_size(8 * lane_padding), may_alias));
typedef float Singles __attribute__((vector_size(4 * lane_padding), may_alias));

/// Rows of chains in lanes are aligned, because EIGEN_MAX_ALIGN_BYTES is a packet and rows are whole packets.
inline Packet& packet_at(double* row) {
    return *reinterpret_cast<Packet*>(row);
}
inline const Packet& packet_at(const double* row) {
    return *reinterpret_cast<const Packet*>(row);
}

/// A matrix of lanes by its address, so that loops that write packets need not look it up again and again.
struct Rows {
    double* data;
    Index stride;
    explicit Rows(model::LaneMatrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    Packet& at(Index k, Index lane) const { return packet_at(data + k * stride + lane); }
};
struct ConstRows {
    const double* data;
    Index stride;
    explicit ConstRows(const model::LaneMatrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    const Packet& at(Index k, Index lane) const { return packet_at(data + k * stride + lane); }
};
/// Of single precision, made wider.
struct NoiseRows {
    const float* data;
    Index stride;
    template <class Matrix>
    explicit NoiseRows(const Matrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    Packet at(Index k, Index lane) const {
        return __builtin_convertvector(*reinterpret_cast<const Singles*>(data + k * stride + lane), Packet);
    }
};

/// Column i of `to` becomes column source[i] of `from` where that is not negative; as many sources as columns.
void merge_columns(const model::LaneMatrix& from, std::span<const Index> source, model::LaneMatrix& to);

} // namespace pearlite::kernel::detail
