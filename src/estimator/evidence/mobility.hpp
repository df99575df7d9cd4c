#pragma once
/// Checks that particles moved far enough at each temperature for the diagnostics of their weights to hold.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace pearlite::estimator {

/// A mobility m from which an autocorrelation time can be read off, (2 - m)/m in steps: at least 0.02, below which its
/// measurement is noise, at most 1, and 1 where it is not known.
double usable_mobility(double mobility);

/// Recorded at each temperature, b_0 first; NaN where not known.
struct MobilityRecord {
    std::span<const double> inverse_temperature;
    std::span<const double> variance_u; ///< Var of u = d log f_b/db
    std::span<const double> points;     ///< mean squared jump over twice the variance (kernel::Motion::mobility)
    std::span<const double> energies;   ///< the same of u
    double needed = 0.3;                ///< of a long step
    /// Families behind the mean of u, or independent particles; empty where not known.
    std::span<const double> families = {};
};

/// The temperature at which particles moved least, relative to the move that the step to it needs.
struct LeastMobility {
    double inverse_temperature = 0;
    double mobility = 0; ///< the smaller of points and energies
    double share = 0;    ///< of the temperatures with a mobility below the limit
};

/// Steps whose log weights have the standard deviation 0.25 or more need the mobility `needed`, shorter steps one in
/// proportion: below, states at neighbouring temperatures are so dependent that the variance of log Z is several times
/// that of independent ones, and more than any error bar can know if the states never were distributed as they should
/// be. Temperatures where good_effective_families or more are behind the mean of u need none: their part of log Z does
/// not rest on the moves, and separated peaks, between which particles cannot move, have their shares from as many.
/// Nothing if all temperatures but one in twenty have it, or none is recorded.
std::optional<LeastMobility> insufficient_mobility(const MobilityRecord& record);

/// Recorded at each temperature, b_0 first; NaN where not known.
struct AcceptanceRecord {
    std::span<const double> inverse_temperature;
    std::span<const double> acceptance;
    std::span<const std::int64_t> moves;
    std::span<const double> unmoved; ///< share of the particles that did not move at all
    /// Families behind that share, or independent particles; empty where not known.
    std::span<const double> families = {};
};

/// The temperature at which most particles stood still although all others moved.
struct StuckParticles {
    double inverse_temperature = 0;
    double unmoved = 0; ///< share of the particles
    std::int64_t moves = 0;
    double families = std::numeric_limits<double>::quiet_NaN(); ///< behind it; NaN where not known

    /// A warning, as a sentence without a capital.
    std::string text() const;
};

/// Warns of particles that stand still where chance would move them: a target that is narrower than the proposals in
/// some places, such as the neck of a funnel, holds the particles that are there and keeps others out. After m >= 20
/// moves of acceptance a, chance leaves a share (1-a)^m unmoved. The warning needs a share of 0.004, averaged over the
/// temperatures with (1-a)^m < 1e-6, or of 0.1 over those with (1-a)^m < 0.005. Smaller shares are common: the width of
/// most targets varies from place to place, and particles leave the narrow places in time. A share that rests on
/// good_effective_families or more is left out: so many have come there from the start, and its error is part of that
/// of log Z.
std::optional<StuckParticles> stuck_particles(const AcceptanceRecord& record);

} // namespace pearlite::estimator
