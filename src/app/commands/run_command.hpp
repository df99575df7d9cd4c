#pragma once
/// `pearlite run` and `pearlite resume`, also of sweeps.

#include "app/commands/options.hpp"
#include "app/configured/job.hpp"
#include "app/result/run.hpp"
#include "app/run/progress.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// A configuration given as text, without a file.
struct ConfigurationText {
    std::string text;           ///< TOML
    std::filesystem::path base; ///< where relative paths start
};

struct RunOptions : SessionOptions {
    std::filesystem::path configuration;   ///< a file, or the name of `text` in messages
    std::optional<ConfigurationText> text; ///< in place of that file
    std::vector<std::string> overrides;
    std::optional<std::filesystem::path> directory; ///< default runs/<toml stem>
    bool overwrite = false;
    Reporter::Screen screen = Reporter::Screen::on;
};

/// Collective; the exit status.
int run_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options);

/// The configuration that is to be run.
io::Configuration load_configuration(const RunOptions& options);

/// Collective. Runs to the end or to a stop and prints the result; the exit status.
int finish(const Job& job, Run& run, Reporter& reporter);

/// The patience of a watchdog, and the seconds of a limit; nothing if there is none.
double patience_of(const SessionOptions& options);
std::optional<double> seconds_of(const std::optional<std::string>& option);

struct ResumeOptions : SessionOptions {
    std::filesystem::path directory;
    Reporter::Screen screen = Reporter::Screen::on;
    /// If given, the run must be the one that these options would begin. A finished run is restored all the same.
    std::optional<RunOptions> expected;
};

/// Collective; the exit status.
int resume_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options);

/// Collective; exit statuses.
int run_sweep_command(const parallel::Communicator& ranks, const Catalogue& models, const RunOptions& options);
int resume_sweep_command(const parallel::Communicator& ranks, const Catalogue& models, const ResumeOptions& options);

} // namespace pearlite::app
