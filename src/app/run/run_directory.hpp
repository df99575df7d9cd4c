#pragma once
/// The directory of a run or of a sweep.

#include "app/run/directory_lock.hpp"

#include <filesystem>

namespace pearlite::app {

/// Makes an empty directory for a run, and locks it. `overwrite` removes the files of an earlier run or sweep; other
/// files stay. InputError if it is not empty, or cannot be made, or if another run is using it.
[[nodiscard]] DirectoryLock make_run_directory(const std::filesystem::path& directory, bool overwrite);

/// The directory of one run of a sweep.
std::filesystem::path directory_of_run(const std::filesystem::path& sweep, long run);

} // namespace pearlite::app
