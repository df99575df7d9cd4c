#pragma once
/// progress.h5: the state of a running run at its last checkpoint, a small file in the form of results.h5, so that
/// `report` and `status` need not read checkpoints, which hold whole populations.

#include "app/configured/job.hpp"
#include "app/written/summary.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pearlite::app {

/// Collective. Writes the file: the configuration, the arrays of what is known, and a summary with the status
/// "running". FileError if it cannot be written.
void write_progress(const Job& job, const RunFacts& facts, const Standing& standing, const ResultParts& known);

/// The summary in the progress file of a directory, JSON as text; nothing if there is no such file, or none that is
/// whole. No MPI.
std::optional<std::string> read_progress(const std::filesystem::path& directory);

/// Removes the file at the end of a run, when the results replace it.
void remove_progress(const std::filesystem::path& directory);

/// When a run last wrote this file or its summary; file_time_type::min() if it never did.
std::filesystem::file_time_type last_written(const std::filesystem::path& directory);

bool is_progress_file(const std::string& name);

} // namespace pearlite::app
