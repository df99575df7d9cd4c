#pragma once
/// Evidence from the last particles of a run alone: bridge sampling (estimator/evidence/bridge_sampling.hpp) between
/// them and normal distributions fitted to them.
///
///     half h = particles whose Eve's number has the remainder h by 2
///     q_h = N(mean, covariance of half h)
///     log Z_h = bridge between q_h and the particles of the other half, which q_h has not seen
///     log Z = (log Z_0 + log Z_1)/2
///     Var[log Z] = (Var[log Z_0] + Var[log Z_1])/4 + C/2
///
/// C, the covariance: where q_h fits, log f/q_h is the error of the fit to half h alone, and its mean over the other
/// half the product of both halves' errors, the same for both h. A normal distribution has p = d(d + 3)/2 parameters;
/// with n_h effective families and m draws of each half C = w_0 w_1 p/(n_0 n_1), w_h = n_h/(n_h + m), at most the
/// product of the standard errors that the families give.
///
/// The whole path before the last temperature enters by the families only. The error is as small as the particles'
/// distribution is close to normal in the coordinates that are sampled; where it is far from that, or where few
/// families are left, there is no estimate.

#include "estimator/evidence/estimate.hpp"
#include "pearlite/model/target.hpp"
#include "population/families.hpp"
#include "population/generation.hpp"

#include <vector>

namespace pearlite::algorithm {

inline constexpr const char* bridge_sampling_name = "bridge-sampling";

/// Fewer effective draws, or families, behind one of the means give no estimate.
inline constexpr double least_bridged = 30;
/// A covariance by fewer effective families for each coordinate is no fit.
inline constexpr double least_families_per_coordinate = 2;

/// Whether the target's densities are known up to its integral at the end: exact, by a tempered path whose start has a
/// known integral.
bool can_bridge_at_end(const model::Target& target);

/// Collective; can_bridge_at_end(). log Z/Z_0 of particles at inverse temperature b. `log_ratio`: an estimate to begin
/// at. Evaluates the density once for each particle of the population. An estimate without an error says why in its
/// note, and has no value.
estimator::Estimate bridge_at_end(const parallel::Communicator& ranks, const model::Target& target,
                                  const population::Generation& particles, double b,
                                  const population::Families& families, double log_ratio, const random::Seed& seed);

/// A bridge whose standard error is less than this share of the product's is the headline, before it: errors are known
/// to some tenths only.
inline constexpr double least_gain_of_bridge = 0.8;

/// Adds a bridge to estimates whose first is the product of the ratios along the path: as the new first where it is
/// clearly more precise and agrees, else as the second. It takes the prior's integral from the model: where that is
/// wrong, the two differ.
void add_bridge(std::vector<estimator::Estimate>& estimates, const estimator::Estimate& bridge);

} // namespace pearlite::algorithm
