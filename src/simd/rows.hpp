#pragma once
/// Rows of numbers of chains in lanes, lane_padding chains at a time: for loops over the coordinates of all chains.

#include "pearlite/core/detail/lane_padding.hpp"
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
    auto& at(Index k, Index lane) const { return simd::at<Doubles8>(data + k * stride + lane); }
};
struct ConstRows {
    const double* data;
    Index stride;
    template <class Matrix>
    explicit ConstRows(const Matrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    Doubles8 at(Index k, Index lane) const { return load<Doubles8>(data + k * stride + lane); }
};
/// Rows of single precision, made wider.
struct NoiseRows {
    const float* data;
    Index stride;
    template <class Matrix>
    explicit NoiseRows(const Matrix& matrix) : data(matrix.data()), stride(matrix.cols()) {}
    Doubles8 at(Index k, Index lane) const {
        using Floats8 = float __attribute__((vector_size(sizeof(float) * lane_padding)));
        return __builtin_convertvector(load<Floats8>(data + k * stride + lane), Doubles8);
    }
};

/// Column i of `to` becomes column source[i] of `from` where that is not negative, in n_rows rows; as many sources as
/// columns.
void merge_columns(ConstRows from, std::span<const Index> source, Rows to, Index n_rows);

} // namespace pearlite::simd
