#pragma once
/// The rule by which integrals over the inverse temperature are refused: their standard errors know nothing of the
/// error of the quadrature.

#include "estimator/evidence/estimate.hpp"

#include <fmt/format.h>

namespace pearlite::estimator {

/// In nats. The correction of an interval for the integrand's curvature tells how far the trapezoid is off; where one
/// alone is larger than this, the corrected rule's own error may be as large, and neither value means anything: under a
/// vague prior whose first temperature is too far from 0 they lie tens to thousands of nats off.
inline constexpr double largest_trusted_curvature = 0.5;

/// Refuses an integral whose largest curvature in one interval cannot be trusted. Returns whether it did.
inline bool refuse_if_curved(Estimate& integral, double largest_curvature) {
    if (largest_curvature <= largest_trusted_curvature)
        return false;
    integral.refuse(fmt::format("the integrand's curvature is {:.2g} nats in one interval; use more temperatures",
                                largest_curvature));
    return true;
}

} // namespace pearlite::estimator
