#include "app/watching/run_state.hpp"

#include "app/sweep/sweep_files.hpp"
#include "app/watching/log_file.hpp"
#include "app/written/directory_lock.hpp"
#include "app/written/run_directory.hpp"
#include "app/written/summary.hpp"
#include "io/container/checkpoints.hpp"
#include "pearlite/core/detail/contract.hpp"

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

} // namespace pearlite::app
