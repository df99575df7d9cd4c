#pragma once
/// The run loop: steps a sampler to its end and, between steps, writes checkpoints, reports progress and answers
/// signals. Only this file uses clocks and files, and it never changes a number.

#include "app/configured/job.hpp"
#include "app/result/run.hpp"
#include "app/run/progress.hpp"

#include <string>

namespace pearlite::app {

struct Ending {
    double stop = 0; ///< why it stopped (stop_reason); 0: it finished
    /// The text of summary.json of a finished run, on the root.
    std::string summary = {};
};

/// Collective. Runs `run` until it is finished, or until a signal, the time limit or the step limit stops it; writes
/// results or a checkpoint, and summary.json. A failed checkpoint is a warning during the run, and an error at its end.
/// A finished run is saved before its results are written. If the results cannot be written, the estimates are printed
/// and written to the directory of temporary files, and a resume writes the results once there is room.
Ending run_to_end(const Job& job, Run& run, Reporter& reporter);

} // namespace pearlite::app
