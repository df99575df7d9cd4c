#include "app/watching/run_state.hpp"

#include "app/sweep/sweep_files.hpp"
#include "app/written/run_directory.hpp"
#include "app/written/summary.hpp"
#include "io/container/checkpoints.hpp"

#include <cctype>
#include <fstream>
#include <system_error>

namespace pearlite::app {

const char* word_of(RunState state) {
    switch (state) {
    case RunState::none:
        return "no run";
    case RunState::running:
        return "running";
    case RunState::finished:
        return "finished";
    case RunState::stopped:
        return "stopped";
    case RunState::failed:
        return "failed";
    case RunState::died:
        return "died";
    }
    throw ContractViolation("a state without a word");
}

RunState state_of(const std::filesystem::path& directory) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(directory, ignored))
        return RunState::none;
    if (!lock_holder(directory).empty())
        return RunState::running;
    const auto status = read_status(directory);
    if (status == "finished")
        return RunState::finished;
    if (read_run_id(directory).empty() && status.empty() && !is_sweep_directory(directory) &&
        io::list_checkpoints(directory).empty())
        return RunState::none;
    switch (read_log(directory).end) {
    case LogEnd::failed:
        return RunState::failed;
    case LogEnd::stopped:
        return RunState::stopped;
    case LogEnd::open:
        break;
    }
    return RunState::died;
}

namespace {

constexpr std::string_view date_form = "0000-00-00 00:00:00 ";
/// A part of the watchdog's message, which has no date.
constexpr std::string_view ended_by_watchdog = "the run ends without a new checkpoint";
constexpr std::string_view warned_of_silence = "warning: the last heartbeat";

/// "warning: the text" of a line that begins with a date; empty for lines that continue an earlier one.
std::string_view without_date(std::string_view line) {
    if (line.size() <= date_form.size())
        return {};
    for (std::size_t k = 0; k < date_form.size(); ++k)
        if (date_form[k] == '0' ? std::isdigit(static_cast<unsigned char>(line[k])) == 0 : line[k] != date_form[k])
            return {};
    return line.substr(date_form.size());
}

} // namespace

LogFile read_log(const std::filesystem::path& directory) {
    LogFile log;
    std::ifstream in(directory / "run.log");
    for (std::string line; std::getline(in, line);) {
        const auto text = without_date(line);
        if (text.empty() && line.find(ended_by_watchdog) != std::string::npos) {
            log.end = LogEnd::stopped;
            log.last_notice = line;
        }
        if (text.empty() && line.starts_with(warned_of_silence))
            log.last_notice = line.substr(line.find(' ') + 1);
        if (text.empty())
            continue;
        const bool warns = text.starts_with("warning: "), fails = text.starts_with("error: ");
        log.warnings += warns ? 1 : 0;
        if (warns || fails)
            log.last_notice = text.substr(text.find(' ') + 1);
        log.end = fails ? LogEnd::failed : text.starts_with("info: stopped by ") ? LogEnd::stopped : LogEnd::open;
    }
    return log;
}

} // namespace pearlite::app
