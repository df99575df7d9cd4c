#pragma once
/// `pearlite resume`.

#include "app/commands/run_command.hpp"

namespace pearlite::app {

struct ResumeOptions : SessionOptions {
    std::filesystem::path directory;
    Reporter::Screen screen = Reporter::Screen::on;
    /// If given, the run must be the one that these options would begin. A finished run is restored all the same.
    std::optional<RunOptions> expected;
};

/// Collective; the exit status.
int resume_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options);

} // namespace pearlite::app
