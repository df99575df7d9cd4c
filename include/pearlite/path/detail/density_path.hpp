#pragma once
/// Paths between densities over R^d: the interface of a target that kernels need to propose points.

#include "pearlite/model/detail/density_block.hpp"
#include "pearlite/model/target.hpp"

#include <memory>

namespace pearlite::path {

/// log f_b at every point from two logs, which the block (model::DensityBlock) holds as log_prior and log_likelihood,
/// as they were when the point was accepted: log start + power(b) log ratio. If path_is_linear() the ratio is the
/// same at every b, and its power is b. Otherwise the ratio itself changes with b, and its power is 1: a kernel that
/// moves a block at some b calls bring_to() first.
class DensityPath : public model::Target {
  public:
    /// d, the length of a point.
    virtual Index dimension() const = 0;
    /// Both logs at b and the block's first size() columns of `points` (d x padded) into the vectors (padded).
    /// A NumericalError names the particle if one of its logs is NaN or +inf.
    virtual void evaluate(const model::DensityBlock& block, const Matrix& points, double b, Vector& log_prior,
                          Vector& log_likelihood, const model::BlockStreams& streams) const = 0;
    /// The logs of the block's points become those at b.
    void bring_to(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
        if (!path_is_linear())
            evaluate(block, block.points, b, block.log_prior, block.log_likelihood, streams);
    }
    double power(double b) const { return path_is_linear() ? b : 1; }
    /// A draw from the start of the path.
    virtual void draw_prior(random::Stream& stream, std::span<double> x) const = 0;
    /// Whether the ratio is an unbiased estimate, another one at each evaluation.
    virtual bool is_estimated() const = 0;
    /// Names of the coordinates.
    virtual const std::vector<std::string>& coordinate_names() const = 0;
    /// Names of the reported quantities of a point, and their values at the columns of `points` (d x n): names x n.
    virtual const std::vector<std::string>& quantity_names() const = 0;
    virtual Matrix quantities(const Eigen::Ref<const Matrix>& points) const = 0;

  protected:
    /// Throws the NumericalError of evaluate() for the first n columns.
    void require_numbers(const Matrix& points, Index n, const Vector& log_prior, const Vector& log_likelihood,
                         const model::BlockStreams& streams) const;
};

inline model::DensityBlock& points_of(Block& block) {
    return static_cast<model::DensityBlock&>(block);
}
inline const model::DensityBlock& points_of(const Block& block) {
    return static_cast<const model::DensityBlock&>(block);
}

} // namespace pearlite::path
