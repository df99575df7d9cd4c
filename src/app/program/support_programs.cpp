#include "app/program/support_programs.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace pearlite::app {

int run_tool(const std::vector<std::string>& arguments, bool silent) {
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

std::filesystem::path support_file(const std::string& name, const std::filesystem::path& support_directory) {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const auto& directory : {program.parent_path().parent_path() / "share" / "pearlite", support_directory})
        if (std::filesystem::exists(directory / name, error))
            return directory / name;
    throw FileError(
        fmt::format("{} is neither in share/pearlite beside this program nor in {}", name, support_directory.string()));
}

} // namespace pearlite::app
