#pragma once
/// What a nonequilibrium run found, from its works and averages.

#include "algorithm/common/settings.hpp"
#include "algorithm/nonequilibrium/path_averages.hpp"

#include <span>

namespace pearlite::algorithm {

/// Averages along the way: forward from b_0 to b_K, at b_K while reverse starts equilibrate, backwards from b_K to b_0.
struct WorkRecord {
    PathAverages forward;
    PathAverages equilibration;
    PathAverages reverse;

    template <class Fields>
    void fields(Fields& f) {
        f.enter("forward");
        forward.fields(f);
        f.leave();
        f.enter("equilibration");
        equilibration.fields(f);
        f.leave();
        f.enter("reverse");
        reverse.fields(f);
        f.leave();
    }
};

/// Change of mean u from the middle to the end of the reverse starts' equilibration, in standard errors; nothing if
/// it had fewer than 4 steps.
std::optional<double> start_drift(const PathAverages& equilibration, Index n_trajectories);

/// Estimates, verdict, diagnostics and arrays. `start_eves`: of weighted reverse starts, else empty.
Outcome work_outcome(std::span<const double> forward, std::span<const double> reverse, const WorkRecord& record,
                     bool exact_start, std::span<const std::int64_t> start_eves, std::uint64_t seed);

/// The arrays of a results file: works, draws of log Z, and the averages.
std::vector<NamedArray> work_arrays(std::span<const double> forward, std::span<const double> reverse,
                                    const WorkRecord& record, std::span<const double> posterior);

} // namespace pearlite::algorithm
