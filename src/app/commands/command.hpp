#pragma once
/// A command of the command line: a file for each, which defines <name>_entry(), and a line in list_of_commands.inl.
/// Private to this layer.

#include "parallel/communicator.hpp"
#include "pearlite/app/catalogue.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pearlite::app {

/// The program that a command belongs to.
struct CommandContext {
    const Catalogue& models;
    std::filesystem::path support_directory; ///< of programs and templates that are not beside this program
    const CLI::App& command_line;
};

/// The work of a parsed command: one of the two functions, which return the exit status.
struct Action {
    std::function<int()> serial = {};
    std::function<bool()> is_serial = [] { return true; };              ///< with these options, where there are both
    std::function<int(const parallel::Communicator&)> distributed = {}; ///< collective
};

struct CommandEntry {
    std::string name;
    std::string about;
    /// Adds the options to the command. The action owns their values, which the parser sets.
    Action (*action)(CLI::App& command, const CommandContext& context) = nullptr;
    /// Whether the command has failed if standard output cannot be written. A run has written its result to files.
    bool needs_output = true;
};

#define PEARLITE_COMMAND(name) CommandEntry name##_entry();
#include "app/commands/list_of_commands.inl"
#undef PEARLITE_COMMAND

/// The commands of list_of_commands.inl, in its order, which is that of the help.
std::vector<CommandEntry> commands();

/// Prints models, algorithms and their combinations; the exit status.
int list_command(const Catalogue& models);

/// Prints the contents of a results or checkpoint file; the exit status. InputError if it cannot be read.
int show_command(const std::filesystem::path& file);

} // namespace pearlite::app
