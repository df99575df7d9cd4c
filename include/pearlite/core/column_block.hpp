#pragma once
/// The plain block: a matrix with a particle in each column.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <cstring>

namespace pearlite {

/// A rows x padded matrix of T (double, float or int8), one particle per column; padding columns start at zero.
template <class T>
class ColumnBlock {
  public:
    using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

    ColumnBlock(Index rows, Index size) : size_(size), columns_(Columns::Zero(rows, padded(size))) {}

    Index rows() const { return columns_.rows(); }
    Index size() const { return size_; }
    Index padded_size() const { return columns_.cols(); }
    std::size_t packed_bytes() const { return static_cast<std::size_t>(rows()) * sizeof(T); }

    /// rows() x padded_size(); columns at and beyond size() are padding.
    Columns& columns() { return columns_; }
    const Columns& columns() const { return columns_; }

    void pack(Index slot, std::span<std::byte> out) const {
        PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
        std::memcpy(out.data(), columns_.col(slot).data(), packed_bytes());
    }
    void unpack(Index slot, std::span<const std::byte> in) {
        PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
        std::memcpy(columns_.col(slot).data(), in.data(), packed_bytes());
    }

  private:
    Index size_;
    Columns columns_;
};

} // namespace pearlite
