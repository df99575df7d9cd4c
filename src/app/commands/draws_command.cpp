#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/posterior/draws_files.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdio>

namespace pearlite::app {

namespace {

struct DrawsOptions {
    std::filesystem::path directory;           ///< of a finished run
    std::optional<std::filesystem::path> file; ///< default draws.csv in the directory
};

int export_draws(const DrawsOptions& options) {
    for (const auto& written : write_draws(options.directory, options.file))
        std::fputs((written.string() + "\n").c_str(), stdout);
    return exit_finished;
}

} // namespace

CommandEntry draws_command_entry() {
    return {"draws", "write the draws of a posterior as CmdStan does, a table a chain",
            [](CLI::App& command, const CommandContext&) -> Action {
                const auto options = std::make_shared<DrawsOptions>();
                command.add_option("directory", options->directory, "of a finished run")->required();
                command.add_option("-o", options->file, "the table (default draws.csv in the directory)");
                return {.serial = [options] { return export_draws(*options); }};
            }};
}

} // namespace pearlite::app
