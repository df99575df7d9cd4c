#pragma once
/// The state of a run or a sweep, from its directory, and the end of its log.

#include <filesystem>
#include <string>

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

// The end and the last warning of the last session of a run, from run.log.

enum class LogEnd {
    open,    ///< no word of an end
    stopped, ///< by a signal or a limit
    failed,  ///< by an error
};

struct LogFile {
    LogEnd end = LogEnd::open;
    long warnings = 0;       ///< of all sessions
    std::string last_notice; ///< the last warning or error; empty without any
};

/// Without a log: no warnings, an open end.
LogFile read_log(const std::filesystem::path& directory);

} // namespace pearlite::app
