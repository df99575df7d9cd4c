#pragma once
/// The files of a sweep: what a resume needs, and its results.

#include "app/sweep/table.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pearlite::app {

/// The configuration of a sweep as it was given, in the file configuration.json.
struct SweepOrigin {
    std::string text, name;
    std::filesystem::path directory;
    std::vector<std::string> overrides;
    std::string data_directory;            ///< may be empty
    std::vector<std::string> fitted;       ///< to a budget, for each setting; empty texts without one
    std::vector<std::string> fingerprints; ///< of model and data of each setting
    std::string build;
    Index runs = 0; ///< in all; 0: not written by an earlier version
};
void write_origin(const std::filesystem::path& directory, const SweepOrigin& origin);
/// FileError if it cannot be read.
SweepOrigin read_origin(const std::filesystem::path& directory);
/// Whether the directory is that of a sweep.
bool is_sweep_directory(const std::filesystem::path& directory);

/// The number of runs that finished and failed, and the session's time.
struct SweepProgress {
    Index finished = 0, failed = 0;
    double wall_seconds = 0, busy_share = 0; ///< of the time of all ranks, spent in runs
    int ranks = 1;
};

/// Writes summary.json of a sweep that stopped before its end.
void write_stopped_sweep(const std::filesystem::path& directory, const Sweep& sweep, const SweepProgress& progress);
/// Writes the tables (sweep.h5, runs.csv, settings.csv, pairs.csv, tables.md) and then summary.json. For one rank.
void write_finished_sweep(const std::filesystem::path& directory, const Sweep& sweep,
                          const std::map<Index, EndedRun>& ended, const SweepProgress& progress);

/// Lines for a person at the end, from summary.json and tables.md.
std::string describe_finished_sweep(const std::filesystem::path& directory);

} // namespace pearlite::app
