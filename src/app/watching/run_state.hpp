#pragma once
/// The state of a run or a sweep, from its directory.

#include <filesystem>

namespace pearlite::app {

enum class RunState {
    none,     ///< the directory is not one of a run
    running,  ///< a living process holds its lock
    finished, ///< it has its results
    stopped,  ///< it ended early, by a signal or a limit, with a checkpoint
    failed,   ///< it ended with an error
    died,     ///< it ended without a word
};

/// A word for people.
const char* word_of(RunState state);

/// Sees locks of processes on other hosts if the file system supports them.
RunState state_of(const std::filesystem::path& directory);

} // namespace pearlite::app
