#pragma once
/// Several estimates of one quantity, judged side by side.

#include "estimator/evidence/estimate.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::estimator {

/// Beyond so many joint standard errors two estimates of one quantity contradict each other: one false alarm in 1.6e4,
/// and fewer where both come from the same particles.
inline constexpr double significant_difference = 4;

/// Whether both have errors, and differ by more than significant_difference of them.
bool are_apart(const Estimate& a, const Estimate& b);

/// A quadrature over temperatures has an error that its error bar does not know. Refuses an integral that is apart from
/// `reference`, which has no such error.
void refuse_if_apart(Estimate& integral, const Estimate& reference);

/// Refuses integrals that are apart from the first of several estimates, the headline. Adds to `warnings` the doubts
/// about the headline, and which others contradict it (of each estimator the first that has an error). Where anything
/// warns, errors are no longer called conservative.
void judge(std::span<Estimate> estimates, std::vector<std::string>& warnings);

} // namespace pearlite::estimator
