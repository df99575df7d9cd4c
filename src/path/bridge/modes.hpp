#pragma once
/// Modes of a density by descents, for fits of a reference and for spot checks.

#include "core/lbfgs.hpp"
#include "path/bridge/joint_density.hpp"
#include "random/student_mixture.hpp"

#include <limits>
#include <optional>

namespace pearlite::path {

struct Mode {
    Vector x;
    double log_p = 0;
};

/// The highest point that a descent by L-BFGS from `start` meets; it ends after some `most` evaluations.
Mode climb(const JointDensity& density, const Vector& start, const LbfgsLimits& limits,
           Index most = std::numeric_limits<Index>::max());

/// A component at a point, its scale the inverse of the curvature there.
struct Peak {
    random::StudentMixture::Component component; ///< its weight is a logarithm
    double log_p = 0;
    bool is_mode = false; ///< the curvature is not negative in any direction
};

/// The peak to which Newton's method leads from the end of a descent, which stops before the mode if units differ much.
/// Steps are halved until they climb. Nothing if no direction has a positive curvature.
std::optional<Peak> climb_to_peak(const JointDensity& density, Mode end, int most_steps = 20);

/// Within a standard deviation.
bool is_near(const Vector& x, const Peak& peak);

} // namespace pearlite::path
