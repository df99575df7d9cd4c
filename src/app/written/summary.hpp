#pragma once
/// The files that the run loop writes: summary.json, the stable machine interface of a run directory, with the text
/// that a person sees at the end; progress.h5, for `status` and `report`; posterior.nc.

#include "app/configured/job.hpp"
#include "app/result/parts/part.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace pearlite::app {

/// Resources of a session since the program started, each number from the rank with the largest one.
struct Resources {
    Index peak_memory_bytes = 0; ///< resident
    parallel::MessageCount messages = {};
};

/// Collective; the result is the same on every rank.
Resources resources_of(const parallel::Communicator& ranks);

/// Facts about a run besides its result.
struct RunFacts {
    std::string model;
    std::string algorithm;
    std::uint64_t seed = 1;
    std::string generator; ///< of its random numbers
    std::vector<DigestedFile> files = {};
    Index block = 1;
    int ranks = 1;
    double wall_seconds = 0;
    double updates_per_second = 0;
    std::string unit;
    std::vector<std::string> warnings;
    std::optional<population::WorkAccount> work = {};
    Resources resources = {};
};

/// The progress and the estimates of a run that has not ended.
struct ProgressEntry {
    algorithm::Progress progress;
    std::optional<algorithm::LogRatioSoFar> log_ratio = {};
    std::optional<double> seconds_left = {}; ///< of the pilot, if it is in one
};

/// The text of summary.json of a finished run.
std::string summary_text(const RunFacts& facts, const RunResult& result);
/// The same for a run that has not ended. `status`: "running" or "stopped". Parts add entries and diagnostics, but no
/// warnings, since these apply to finished runs.
std::string summary_text(const RunFacts& facts, const std::string& status, const ProgressEntry& entry,
                         const ResultParts& parts = {});
/// Writes DIR/summary.json under a temporary name and renames it. FileError on failure.
void write_summary(const std::filesystem::path& directory, const std::string& text);

/// The contents of summary.json; an empty object if there is none that can be read.
nlohmann::ordered_json read_summary(const std::filesystem::path& directory);

/// "finished", "stopped", or nothing if there is no readable summary.
std::string read_status(const std::filesystem::path& directory);

/// Lines for a person: estimates with errors beside exact values, posterior, warnings, digest; from summary.json.
std::string describe_summary(const std::filesystem::path& directory);
/// The same from the text of a summary.json.
std::string describe_text(const std::string& summary);

/// Collective. Writes the file: the configuration, the arrays of what is known, and a summary with the status
/// "running". FileError if it cannot be written.
void write_progress(const Job& job, const RunFacts& facts, const ProgressEntry& entry, const ResultParts& known);

/// The summary in the progress file of a directory, JSON as text; nothing if there is no such file, or none that is
/// whole. No MPI.
std::optional<std::string> read_progress(const std::filesystem::path& directory);

/// Removes the file at the end of a run, when the results replace it.
void remove_progress(const std::filesystem::path& directory);

/// When a run last wrote this file or its summary; file_time_type::min() if it never did.
std::filesystem::file_time_type last_written(const std::filesystem::path& directory);

bool is_progress_file(const std::string& name);

/// posterior.nc in the run's directory, a posterior as ArviZ reads it; for rank 0. Nothing if there are no draws.
/// FileError as io::write_netcdf.
void write_posterior(const Job& job, const ResultParts& parts);

} // namespace pearlite::app
