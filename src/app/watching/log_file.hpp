#pragma once
/// The end and the last warning of the last session of a run, from run.log.

#include <filesystem>
#include <string>

namespace pearlite::app {

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
