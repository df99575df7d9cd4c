#include "app/commands/command.hpp"

#include "app/commands/options.hpp"
#include "io/container/container.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdio>

namespace pearlite::app {

int show_command(const std::filesystem::path& file) {
    // The file is all that is asked for: what is wrong with it is bad input.
    try {
        const auto listing = io::describe_container(file);
        std::fputs(listing.text.c_str(), stdout);
        return listing.is_whole ? exit_finished : exit_bad_input;
    } catch (const FileError& error) {
        throw InputError(error.what());
    }
}

CommandEntry show_command_entry() {
    return {"show", "list the contents of a results or checkpoint file",
            [](CLI::App& command, const CommandContext&) -> Action {
                const auto options = std::make_shared<std::filesystem::path>();
                command.add_option("file", *options, "FILE.h5")->required();
                return {.serial = [options] { return show_command(*options); }};
            }};
}

} // namespace pearlite::app
