#pragma once
/// Draws of a finished run as CmdStan writes them. Private to this layer.

#include <filesystem>
#include <optional>
#include <vector>

namespace pearlite::app {

/// Writes the equally weighted draws in posterior.nc of a run's directory, and `lp__`, as the comma-separated tables
/// that CmdStan writes: `file` (default draws.csv in the directory), or with several chains one of them each,
/// NAME_1.csv, NAME_2.csv, ... Elements of arrays are counted from 1. Returns the files. InputError if there are no
/// draws; FileError.
std::vector<std::filesystem::path> write_draws(const std::filesystem::path& directory,
                                               const std::optional<std::filesystem::path>& file);

/// Whether a file in a run's directory is one that write_draws has made there.
bool is_draws_file(const std::filesystem::path& file);

} // namespace pearlite::app
