#pragma once
/// A run as the run loop takes it: what was configured, on which ranks, in which directory.

#include "app/configured/prepare.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// A file that the configuration names, as it was when the job began.
struct DigestedFile {
    std::string key; ///< "model.data"
    std::filesystem::path path;
    std::string sha256; ///< hexadecimal
};

/// A run to begin or to continue.
struct Job {
    parallel::Communicator ranks = parallel::Communicator::alone();
    std::filesystem::path directory;
    std::string run_id; ///< that of the directory; empty: not known yet
    std::string model_name;
    std::string configuration;       ///< resolved, TOML
    std::vector<DigestedFile> files; ///< on the root
    const BuiltModel* model = nullptr;
    std::string algorithm;
    const algorithm::Plan* plan = nullptr;
    std::optional<double> time_limit_seconds; ///< of this session
    std::optional<Index> step_limit;          ///< number of steps of this session before it stops
    std::string data_directory;               ///< where data files were found; may be empty
    bool is_resumed = false;                  ///< `run` stands where a checkpoint in the directory has it
    std::filesystem::path sweep_directory;    ///< of a run in a sweep, which is resumed as a whole; else empty
    bool keeps_results = true;                ///< false: no file stays but checkpoints of a run that stopped
    /// Called between steps about fifty times a second on each rank. Returns a reason to stop that came from outside
    /// the run, or 0.
    std::function<double()> on_beat = {};
    /// Called as often on the root alone. False stops the run with a checkpoint.
    std::function<bool(const algorithm::Progress&)> goes_on = {};

    bool is_in_sweep() const { return !sweep_directory.empty(); }
    /// The directory that `resume` takes.
    const std::filesystem::path& resumable() const { return is_in_sweep() ? sweep_directory : directory; }
};

/// Collective. The job of a configuration on these ranks; limits of the command line come before those of the
/// configuration. InputError if `time_limit` is no duration.
Job job_of(const parallel::Communicator& ranks, const std::filesystem::path& directory, const Prepared& prepared,
           const std::optional<std::string>& time_limit, const std::optional<Index>& step_limit);

/// Collective. Warnings about the ranks of a job, a sentence each: machines with fewer cores than ranks and, with a
/// plan, ranks without work.
std::vector<std::string> remarks_on_ranks(const parallel::Communicator& ranks, const algorithm::Plan* plan);

/// The first line of a run's log: model, algorithm, ranks and seed.
std::string first_line(const Job& job);

} // namespace pearlite::app
