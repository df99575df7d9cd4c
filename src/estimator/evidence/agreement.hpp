#pragma once
/// Integrals over the inverse temperature whose quadrature is too coarse, and several estimates of one quantity, judged
/// side by side.

#include "estimator/evidence/estimate.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::estimator {

/// Two estimates of one quantity contradict each other beyond this number of joint standard errors: one false alarm in
/// 1.6e4, and fewer where both come from the same particles.
inline constexpr double significant_difference = 4;

/// Whether both have errors, and differ by more than significant_difference of them.
bool are_apart(const Estimate& a, const Estimate& b);

/// In nats. The curvature correction of an interval estimates the error of the trapezoid rule. Above this value in a
/// single interval the corrected rule may be as far off, and neither result is usable: under a vague prior whose first
/// temperature is too far from 0, errors are tens to thousands of nats.
inline constexpr double largest_trusted_curvature = 0.5;

/// Refuses an integral whose largest curvature in one interval cannot be trusted. Returns whether it did.
bool refuse_if_curved(Estimate& integral, double largest_curvature);

/// The error bar of an integral over temperatures leaves out the error of the quadrature. Refuses an integral that is
/// apart from `reference`, which has no such error.
void refuse_if_apart(Estimate& integral, const Estimate& reference);

/// Refuses integrals that are apart from the first of several estimates, the headline. Adds to `warnings` the doubts
/// about the headline, and which others contradict it (of each estimator the first that has an error). Where anything
/// warns, errors are no longer called conservative.
void judge(std::span<Estimate> estimates, std::vector<std::string>& warnings);

} // namespace pearlite::estimator
