#pragma once
/// Known moments of the distributions p_b along the path. With them a report shows how far trajectories lag behind.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::model {

/// The mean of u = d log f_b/db over p_b, which is the derivative of log Z_b; cheap to compute.
class EquilibriumMean {
  public:
    virtual ~EquilibriumMean() = default;
    /// Nothing where it is not known.
    virtual std::optional<double> equilibrium_mean_u(double b) const = 0;
};

struct MeanAndSd {
    double mean = 0;
    double sd = 0;
};

/// A few quantities of each particle whose moments over p_b are known; cheap to compute.
class PathQuantities {
  public:
    virtual ~PathQuantities() = default;
    virtual const std::vector<std::string>& quantity_names() const = 0;
    /// Names x block size.
    virtual Matrix path_quantities(const Block& block) const = 0;
    /// A mean and a standard deviation for each name.
    virtual std::vector<MeanAndSd> equilibrium_moments(double b) const = 0;
};

} // namespace pearlite::model
