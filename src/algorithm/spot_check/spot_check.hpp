#pragma once
/// A look at places where a finished run may never have been: maxima of its density that descents find.
///
///     starts: final particles, drawn by their weights; draws from the start of the path
///     for each start: descent by L-BFGS, then Newton's method: a maximum m, the curvature there, its ellipsoid E
///     for each distinct maximum: Z_E = int_E f by draws in E, beside Z x (share of the particles in E)
///     for the largest: Z_B, the integral beyond E by lines through m, beside Z x (share of the particles beyond E)
///
/// estimator/spot has both formulas. A run that has missed a narrow peak inside a wide one contradicts Z_E. Its silence
/// proves nothing: a peak whose basin no descent meets stays unseen, and where no ellipsoid at a maximum holds mass
/// (funnels, shells, flat tops) there is nothing to compare.

#include "algorithm/common/sampler.hpp"
#include "estimator/spot/comparison.hpp"

#include <string>
#include <vector>

namespace pearlite::algorithm {

struct SpotCheckSettings {
    Index densities = 2000; ///< to evaluate, about; a gradient counts as one
    random::Seed seed = {};
};

/// A maximum and what was found there.
struct CheckedSpot {
    std::string place;                                    ///< "x = 3.1, y = 2", in reported quantities
    estimator::SpotComparison comparison;                 ///< of the ellipsoid
    double families = 0;                                  ///< effective ones behind the share
    std::optional<estimator::SpotComparison> beyond = {}; ///< of the rest of space, where it was looked at
};

/// The same on every rank.
struct SpotCheck {
    std::vector<CheckedSpot> spots; ///< the largest masses first
    std::string silence = {};       ///< why nothing is compared; empty if something is
    Index densities = 0;            ///< evaluated on all ranks

    /// A place and its comparison: of the ellipsoid, or of what is beyond it.
    struct Finding {
        const CheckedSpot* spot = nullptr; ///< null if nothing is compared
        bool is_beyond = false;
        const estimator::SpotComparison& comparison() const { return is_beyond ? *spot->beyond : spot->comparison; }
    };
    /// The one that lacks most, by its deviations.
    Finding worst() const;
    /// Whether worst() contradicts the run.
    bool contradicts() const;
    /// Whether worst() lacks more than 6 in 1000 right runs do, by chance, in one of as many spots.
    bool doubts() const;
    /// The share of the mass wanted in the ellipsoids that agree.
    double held() const;
};

/// Collective. Why a run cannot be checked, as a finished one with these findings; empty if it can.
std::string objection_to_spot_check(const model::Target& target, const Found& found, double inverse_temperature_end);

/// Collective; without objection. `outcome`: of the run; its first estimate of log Z/Z_0, on rank 0, is compared, with
/// its standard error, or with 1 if there is none. The bits are the same on any number of ranks. Errors of the density
/// pass through, agreed.
SpotCheck spot_check(const parallel::Communicator& ranks, const model::Target& target, const Found& found,
                     const Outcome& outcome, const SpotCheckSettings& settings);

} // namespace pearlite::algorithm
