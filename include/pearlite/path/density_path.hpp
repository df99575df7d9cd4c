#pragma once
/// Paths between densities over R^d: what kernels that propose points ask of a target.

#include "pearlite/model/density_block.hpp"
#include "pearlite/model/target.hpp"

#include <memory>

namespace pearlite::path {

/// log f_b = log start + b log ratio at every point: the block (model::DensityBlock) holds both as log_prior and
/// log_likelihood, as they were when the point was accepted.
class DensityPath : public model::Target {
  public:
    /// d, the length of a point.
    virtual Index dimension() const = 0;
    /// Both logs at the block's first size() columns of `points` (d x padded) into the vectors (padded). NumericalError
    /// names the particle where one of them is NaN or +inf.
    virtual void evaluate(const model::DensityBlock& block, const Matrix& points, Vector& log_prior,
                          Vector& log_likelihood, const model::BlockStreams& streams) const = 0;
    /// A draw from the start of the path.
    virtual void draw_prior(random::Stream& stream, std::span<double> x) const = 0;
    /// The ratio is an unbiased estimate, another one at each evaluation.
    virtual bool is_estimated() const = 0;
    /// Names of the coordinates.
    virtual const std::vector<std::string>& coordinate_names() const = 0;
    /// What people read of a point, and its value at each column of `points` (d x n): names x n.
    virtual const std::vector<std::string>& quantity_names() const = 0;
    virtual Matrix quantities(const Eigen::Ref<const Matrix>& points) const = 0;
};

inline model::DensityBlock& points_of(Block& block) {
    return static_cast<model::DensityBlock&>(block);
}
inline const model::DensityBlock& points_of(const Block& block) {
    return static_cast<const model::DensityBlock&>(block);
}

} // namespace pearlite::path
