#pragma once
/// The outcome of a nonequilibrium run, from its works and averages.

#include "algorithm/common/settings.hpp"
#include "algorithm/nonequilibrium/path_averages.hpp"
#include "path/schedule.hpp"
#include "population/families.hpp"
#include "population/shards.hpp"

#include <optional>

namespace pearlite::algorithm {

/// Averages along the way: forward from b_0 to b_K, at b_K while reverse starts equilibrate, backwards from b_K to b_0.
struct WorkRecord {
    PathAverages forward;
    PathAverages equilibration;
    PathAverages reverse;

    template <class Fields>
    void fields(Fields& f) {
        group(f, "forward", forward);
        group(f, "equilibration", equilibration);
        group(f, "reverse", reverse);
    }
};

/// Change of mean u from the middle to the end of the reverse starts' equilibration, in standard errors; nothing if
/// the equilibration had fewer than 4 steps.
std::optional<double> start_drift(const PathAverages& equilibration, Index n_trajectories);

/// Collective. Estimates, verdict, diagnostics, and as arrays draws of log Z and the averages. `ancestors`: the
/// families of weighted reverse starts, which descend from common states; null for independent starts.
Outcome work_outcome(const population::Shards& forward, const population::Shards& reverse, const WorkRecord& record,
                     bool exact_start, const population::Families* ancestors, const random::Seed& seed);

/// Adds arrays of the target's exact equilibrium averages, where it offers them, beside the estimated ones: the mean of
/// u and the moments of its quantities at the temperatures of the schedule, or at evenly chosen ones of a long
/// schedule.
void add_equilibrium(Outcome& outcome, const model::Target& target, const path::Schedule& schedule);

} // namespace pearlite::algorithm
