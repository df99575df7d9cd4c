#include "app/commands/commands.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace pearlite::app {

namespace {

/// Runs a program found on the PATH; its exit status, or 127.
int run_program(const std::vector<std::string>& arguments, bool silent) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (silent) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const auto& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return 127;
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/// The first Python with the modules that the report needs. It is isolated (-I), so that nothing in the directory where
/// the command is called is executed; the script itself adds the places that can be trusted.
std::string find_python(const std::string& script) {
    std::vector<std::string> candidates{"python3", "/usr/bin/python3"};
    if (const char* wanted = std::getenv("PEARLITE_PYTHON"))
        candidates = {wanted};
    for (const auto& python : candidates)
        if (run_program({python, "-I", script, ".", "--modules-only"}, true) == 0)
            return python;
    throw InputError("the report needs Python 3 with h5py and matplotlib (Debian: python3-h5py python3-matplotlib); "
                     "PEARLITE_PYTHON names another interpreter");
}

std::filesystem::path find_script(const std::filesystem::path& support_directory) {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const auto& directory : {program.parent_path().parent_path() / "share" / "pearlite", support_directory})
        if (std::filesystem::exists(directory / "report.py", error))
            return directory / "report.py";
    throw FileError(fmt::format("report.py is neither in share/pearlite beside this program nor in {}",
                                support_directory.string()));
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
    const auto script = find_script(options.support_directory).string();
    std::vector<std::string> command{find_python(script), "-I", script};
    for (const auto& argument : arguments_of(options))
        command.push_back(argument);
    return run_program(command, false);
}

} // namespace pearlite::app
