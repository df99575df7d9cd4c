#include "app/commands/commands.hpp"
#include "app/commands/support_programs.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace pearlite::app {

namespace {

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

} // namespace

int report_command(const ReportOptions& options) {
    if (!std::filesystem::is_directory(options.directory))
        throw InputError(fmt::format("{}: no such directory; expected the directory of a run or of a sweep",
                                     options.directory.string()));
    const auto script = support_file("report.py", options.support_directory).string();
    std::vector<std::string> command{find_python(script), "-I", script};
    for (const auto& argument : arguments_of(options))
        command.push_back(argument);
    return run_tool(command, false);
}

} // namespace pearlite::app
