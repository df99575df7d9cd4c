#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/program/support_programs.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/watching/run_state.hpp"
#include "app/written/summary.hpp"

#include <cstdlib>
#include <thread>

namespace pearlite::app {

namespace {

struct ReportOptions {
    std::filesystem::path directory; ///< of a run or of a sweep
    std::filesystem::path support_directory;
    // For sweeps:
    std::vector<std::string> scalars;   ///< shown instead of those that the configuration chose
    std::optional<std::string> against; ///< the only swept key that scalars are drawn against
    std::optional<double> above;        ///< distances to this value are drawn
    bool runs = false;                  ///< make the report of every single run too
    // For runs:
    bool follow = false; ///< draw it again with each checkpoint, until the run ends
};

/// The first Python with the modules that the report needs. It is isolated (-I), so that nothing in the directory where
/// the command is called is executed; the script itself adds the places that can be trusted.
std::string find_python(const std::string& script) {
    std::vector<std::string> candidates{"python3", "/usr/bin/python3"};
    if (const char* wanted = std::getenv("PEARLITE_PYTHON"))
        candidates = {wanted};
    for (const auto& python : candidates)
        if (run_tool({python, "-I", script, ".", "--modules-only"}, true) == 0)
            return python;
    throw InputError("the report needs Python 3 with h5py and matplotlib (Debian: python3-h5py python3-matplotlib); "
                     "PEARLITE_PYTHON names another interpreter");
}

/// The arguments of report.py; `--name=value`, so that a value that begins with a minus is none of its options.
std::vector<std::string> arguments_of(const ReportOptions& options) {
    std::vector<std::string> arguments{options.directory.string()};
    for (const auto& name : options.scalars)
        arguments.push_back("--scalar=" + name);
    if (options.against)
        arguments.push_back("--against=" + *options.against);
    if (options.above)
        arguments.push_back(fmt::format("--above={}", *options.above));
    if (options.runs)
        arguments.emplace_back("--runs");
    return arguments;
}

/// Draws the report again whenever the run has written something, until the run ends. Returns the exit status of the
/// last drawing.
template <class Draw>
int follow(const std::filesystem::path& directory, const Draw& draw) {
    constexpr auto pause = std::chrono::milliseconds(500);
    for (auto drawn = std::filesystem::file_time_type::min();;) {
        const auto state = state_of(directory);
        const auto written = last_written(directory);
        if (written > drawn || state != RunState::running) {
            const int status = draw(state);
            if (status != 0 || state != RunState::running)
                return status;
            drawn = written;
        }
        std::this_thread::sleep_for(pause);
    }
}

int report(const ReportOptions& options) {
    if (!std::filesystem::is_directory(options.directory))
        throw InputError(fmt::format("{}: no such directory; expected the directory of a run or of a sweep",
                                     options.directory.string()));
    if (options.follow && is_sweep_directory(options.directory))
        throw InputError(fmt::format("{}: a sweep; --follow is for runs", options.directory.string()));
    const auto script = support_file("report.py", options.support_directory).string();
    std::vector<std::string> command{find_python(script), "-I", script};
    for (const auto& argument : arguments_of(options))
        command.push_back(argument);
    const auto draw = [&](RunState state) {
        auto with_state = command;
        with_state.push_back(std::string("--state=") + word_of(state));
        return run_tool(with_state, false);
    };
    return options.follow ? follow(options.directory, draw) : draw(state_of(options.directory));
}

} // namespace

CommandEntry report_command_entry() {
    return {
        "report", "figures and one HTML page from the directory of a run or of a sweep",
        [](CLI::App& command, const CommandContext& context) -> Action {
            const auto options = std::make_shared<ReportOptions>();
            command
                .add_option("directory", options->directory,
                            "directory of a run, finished or not (as of its last checkpoint), or of a finished sweep")
                ->required();
            command.add_flag("--follow", options->follow,
                             "runs: draw it again with each checkpoint, until the run ends");
            command.add_option("--scalar", options->scalars, "sweeps: show this scalar instead of the chosen ones")
                ->allow_extra_args(false);
            command.add_option("--against", options->against, "sweeps: draw against this swept key alone");
            command.add_option("--above", options->above, "sweeps: draw distances to this value on a logarithmic axis");
            command.add_flag("--runs", options->runs, "sweeps: make the report of every single run too");
            options->support_directory = context.support_directory;
            return {.serial = [options] { return report(*options); }};
        }};
}

} // namespace pearlite::app
