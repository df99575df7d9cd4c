#pragma once
/// MBAR (Shirts & Chodera 2008) over a ladder of temperatures whose path is linear, log f_b = log f_0 + b u: a sample's
/// reduced potentials at all temperatures follow from its u, one number.

#include "estimator/evidence/ladder.hpp"

#include <span>
#include <vector>

namespace pearlite::estimator {

/// Scans of the systems i = 0..R-1 at the temperatures t that a rank holds. `scans` is the same on all ranks.
struct LadderRecords {
    std::span<const double> u; ///< that of scan s is element (t R + i) S + s
    Index scans = 0;           ///< S
};

struct LadderMbar {
    Estimate estimate; ///< log Z/Z_0 at the end of the ladder
    /// log Z_t/Z_0 of every temperature, T, and its standard errors: those of the systems, NaN where there are none.
    std::vector<double> log_ratio, standard_error;
};

/// Collective; the same bits on any number of ranks. All records count alike, so that the equations are those of
/// independent samples, whose solution is consistent for correlated ones, too. Errors are those of independent systems,
/// each of which may be correlated in itself in any way: with the score s_i = sum of (p_t(u) - [u is of t]) over the
/// records of system i and the Hessian H, the covariance is R/(R-1) H^-1 sum_i s_i s_i' H^-1 (the infinitesimal
/// jackknife; Huber 1967). None for fewer than 8 systems. Refused where neighbours overlap by less than 0.0001, since
/// the equations would take hundreds of steps, or where they are not solved.
LadderMbar mbar_of_ladder(const Ladder& ladder, const LadderRecords& records);

} // namespace pearlite::estimator
