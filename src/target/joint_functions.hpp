#pragma once
/// A joint density of parameters and data as other languages write it: values, and perhaps gradients, at many points.

#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/capabilities.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <string>
#include <vector>

namespace pearlite::model {

/// p over R^d, unnormalised. Nothing says how to draw from a prior. It may offer ReportedQuantities,
/// PointsOfQuantities, RejectedPoints, NamedData.
class JointFunctions : public Capabilities {
  public:
    virtual ~JointFunctions() = default;
    /// d names.
    virtual const std::vector<std::string>& coordinate_names() const = 0;
    /// log p, -infinity where p is zero, of the first n columns of `points` (d x padded) into the first n elements of
    /// `out` (padded).
    virtual void log_densities(const Matrix& points, Index n, Vector& out) const = 0;
    virtual bool has_gradient() const = 0;
    /// The same, with the gradients of log p in the first n columns of `gradient` (d x padded). ContractViolation
    /// without has_gradient().
    virtual void log_densities(const Matrix& points, Index n, Vector& out, Matrix& gradient) const = 0;
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
};

} // namespace pearlite::model
