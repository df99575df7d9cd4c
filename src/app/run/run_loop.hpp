#pragma once
/// The run loop: steps a sampler to its end and, between steps, writes checkpoints, reports progress and answers
/// signals. Only this file uses clocks and files, and it never changes a number.

#include "algorithm/plans/algorithm.hpp"
#include "app/result/run.hpp"
#include "app/run/progress.hpp"
#include "app/summary/summary.hpp"
#include "pearlite/app/catalogue.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace pearlite::app {

/// A run to begin or to continue.
struct Job {
    parallel::Communicator ranks = parallel::Communicator::alone();
    std::filesystem::path directory;
    std::string run_id; ///< that of the directory; empty: not known yet
    std::string model_name;
    std::string configuration; ///< resolved, TOML
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

    bool is_in_sweep() const { return !sweep_directory.empty(); }
    /// The directory that `resume` takes.
    const std::filesystem::path& resumable() const { return is_in_sweep() ? sweep_directory : directory; }
};

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

/// Saves a checkpoint with the state and the data that a resume compares: configuration, its hash, the model's
/// fingerprint, the hash of a fixed schedule, build and CPU.
void save_checkpoint(const Job& job, Run& run);

/// Throws a FileError on all ranks if the checkpoint belongs to another run; an empty run_id accepts any checkpoint.
void require_same_run(const std::string& run_id, io::Reader& reader);

/// SHA-256 over a model's name, sizes and data.
std::string fingerprint_of(const BuiltModel& model);
/// Sets the watchdog's message: a resume continues from this checkpoint.
void advise_to_resume(const Job& job, const std::filesystem::path& checkpoint);

/// Collective. Restores `run` from an open checkpoint. Appends warnings (another build or CPU). InputError if model,
/// data or schedule are not those of the checkpoint, FileError if the file is inconsistent.
void restore_checkpoint(const Job& job, Run& run, io::Reader& reader, std::vector<std::string>& warnings);

} // namespace pearlite::app
