#pragma once
/// Rows of numbers of chains in lanes, lane_padding chains at a time: for loops over the coordinates of all chains.

#include "pearlite/core/detail/lane_padding.hpp"
#include "simd/instructions.hpp"
#include "simd/packet.hpp"

#include <span>

namespace pearlite::simd {

static_assert(lanes<Doubles8> == lane_padding);

/// A matrix of lanes, row by row, by its address, so that loops that write packets need not look it up again and again.
/// Rows are aligned, because EIGEN_MAX_ALIGN_BYTES is a packet and rows are whole packets.
struct Rows {
    double* data;
    Index stride;
    template <class Matrix>
    explicit Rows(Matrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    template <class P = Doubles8>
    auto& at(Index k, Index lane) const {
        return simd::at<P>(data + k * stride + lane);
    }
};
struct ConstRows {
    const double* data;
    Index stride;
    template <class Matrix>
    explicit ConstRows(const Matrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    template <class P = Doubles8>
    P at(Index k, Index lane) const {
        return load<P>(data + k * stride + lane);
    }
};
/// Rows of single precision, made wider.
struct NoiseRows {
    const float* data;
    Index stride;
    template <class Matrix>
    explicit NoiseRows(const Matrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    template <class P = Doubles8>
    P at(Index k, Index lane) const {
        using Narrow = typename detail::PacketOf<float, sizeof(P) / 2>::Type;
        return __builtin_convertvector(load<Narrow>(data + k * stride + lane), P);
    }
};

/// Column i of `to` becomes column source[i] of `from` where that is not negative, in n_rows rows; as many sources as
/// columns.
template <class Instructions>
void merge_columns(ConstRows from, std::span<const Index> source, Rows to, Index n_rows);
inline void merge_columns(ConstRows from, std::span<const Index> source, Rows to, Index n_rows) {
    on_this_cpu([&](auto cpu) { merge_columns<decltype(cpu)>(from, source, to, n_rows); });
}

} // namespace pearlite::simd
