#pragma once
/// `run` and `resume` for configurations and directories of sweeps. Private to this layer.

#include "app/commands/resume_command.hpp"

namespace pearlite::app {

/// Collective; exit statuses.
int run_sweep_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options);
int resume_sweep_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options);

} // namespace pearlite::app
