#pragma once
/// The run loop: steps a sampler to its end and, between steps, writes checkpoints, reports progress and answers
/// signals. Only this file uses clocks and files, and it never changes a number.

#include "app/configured/job.hpp"
#include "app/result/run.hpp"
#include "app/run/progress.hpp"

#include <filesystem>
#include <string>
#include <vector>

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
