#pragma once
/// The block of continuous models: points with their log densities.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <cstring>
#include <memory>

namespace pearlite::model {

/// Scratch space of kernels for a block: points, and numbers of each point. Blocks of equal size share it, since a rank
/// moves one block after another: a million points need no million proposals.
struct DensityScratch {
    Matrix proposals, normals; ///< d x padded
    Vector log_prior, log_likelihood;
    static std::shared_ptr<DensityScratch> of_size(Index dimension, Index padded);
};

/// n points of R^d, one per column, each with log prior and log likelihood as they were when the point was accepted.
/// All are packed (d + 2 doubles), so that moving a particle costs no evaluation and an estimated likelihood stays the
/// same.
class DensityBlock final : public Block {
  public:
    DensityBlock(Index dimension, Index size)
        : size_(size),
          points(Matrix::Zero(dimension, padded(size))),
          log_prior(Vector::Zero(padded(size))),
          log_likelihood(Vector::Zero(padded(size))),
          scratch_(DensityScratch::of_size(dimension, padded(size))),
          proposals(scratch_->proposals),
          normals(scratch_->normals),
          proposed_log_prior(scratch_->log_prior),
          proposed_log_likelihood(scratch_->log_likelihood) {}

    Index dimension() const { return points.rows(); }
    Index size() const override { return size_; }
    Index padded_size() const override { return points.cols(); }
    std::size_t packed_bytes() const override { return static_cast<std::size_t>(dimension() + 2) * sizeof(double); }

    void pack(Index slot, std::span<std::byte> out) const override {
        PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
        const auto point_bytes = static_cast<std::size_t>(dimension()) * sizeof(double);
        std::memcpy(out.data(), points.col(slot).data(), point_bytes);
        std::memcpy(out.data() + point_bytes, &log_prior(slot), sizeof(double));
        std::memcpy(out.data() + point_bytes + sizeof(double), &log_likelihood(slot), sizeof(double));
    }
    void unpack(Index slot, std::span<const std::byte> in) override {
        PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
        const auto point_bytes = static_cast<std::size_t>(dimension()) * sizeof(double);
        std::memcpy(points.col(slot).data(), in.data(), point_bytes);
        std::memcpy(&log_prior(slot), in.data() + point_bytes, sizeof(double));
        std::memcpy(&log_likelihood(slot), in.data() + point_bytes + sizeof(double), sizeof(double));
    }

  private:
    Index size_;

  public:
    Matrix points;         ///< d x padded
    Vector log_prior;      ///< padded
    Vector log_likelihood; ///< padded

  private:
    std::shared_ptr<DensityScratch> scratch_;

  public:
    Matrix &proposals, &normals; ///< scratch, d x padded, which the next block's move overwrites
    Vector &proposed_log_prior, &proposed_log_likelihood;
};

} // namespace pearlite::model
