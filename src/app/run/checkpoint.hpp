#pragma once
/// The checkpoints of a run: its state, and the data that a resume compares.

#include "app/configured/job.hpp"
#include "app/result/run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// Saves a checkpoint with the state and the data that a resume compares: configuration, its hash, the model's
/// fingerprint, the hash of a fixed schedule, build and CPU.
void save_checkpoint(const Job& job, Run& run);

/// Throws a FileError on all ranks if the checkpoint belongs to another run; an empty run_id accepts any checkpoint.
void require_same_run(const std::string& run_id, io::Reader& reader);

/// SHA-256 over a model's name, sizes and data.
/// Sets the watchdog's message: a resume continues from this checkpoint.
void advise_to_resume(const Job& job, const std::filesystem::path& checkpoint);

/// Collective. Restores `run` from an open checkpoint. Appends warnings (another build or CPU). InputError if model,
/// data or schedule are not those of the checkpoint, FileError if the file is inconsistent.
void restore_checkpoint(const Job& job, Run& run, io::Reader& reader, std::vector<std::string>& warnings);

} // namespace pearlite::app
