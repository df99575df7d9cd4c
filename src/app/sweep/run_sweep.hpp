#pragma once
/// Runs a sweep: its runs are dealt to groups of ranks, which take one after another until none is left.

#include "app/run/progress.hpp"
#include "app/sweep/sweep.hpp"

#include <filesystem>
#include <optional>

namespace pearlite::app {

/// A session of a sweep.
struct SweepJob {
    parallel::Communicator ranks = parallel::Communicator::alone();
    std::filesystem::path directory;
    std::string data_directory; ///< may be empty
    std::optional<double> time_limit_seconds;
    std::string run_id = {}; ///< that of the directory
};

/// Collective; the exit status. Makes every run that the journal of the directory does not list as finished, then
/// writes the tables. A failed run is reported at the end (status 1) and does not disturb the others. A signal or the
/// time limit stops all groups, each with a checkpoint of its run (status 3).
///
/// The result does not depend on the groups, because no run depends on its number of ranks.
int run_sweep(const SweepJob& job, const Catalogue& models, const Sweep& sweep, Reporter& reporter);

} // namespace pearlite::app
