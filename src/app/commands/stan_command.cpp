#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/program/support_programs.hpp"

namespace pearlite::app {

namespace {

struct StanOptions {
    std::vector<std::filesystem::path> programs; ///< model.stan, ...
    std::filesystem::path support_directory;
    std::optional<std::filesystem::path> output; ///< a library, or a directory; default: each program's name with .so
    bool again = false;                          ///< compile even if nothing has changed
};

int compile(const StanOptions& options) {
    std::vector<std::string> command{"python3", "-I",
                                     support_file("pearlite_stan/compile.py", options.support_directory).string()};
    if (options.output)
        command.push_back("--output=" + options.output->string());
    if (options.again)
        command.emplace_back("--again");
    command.emplace_back("--");
    for (const auto& program : options.programs)
        command.push_back(program.string());
    const int status = run_tool(command, false);
    if (status == 127)
        throw InputError("compiling Stan programs needs Python 3 (Debian: python3)");
    return status;
}

} // namespace

CommandEntry stan_command_entry() {
    return {"stan", "compile Stan programs to libraries that model \"stan\" takes",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<StanOptions>();
                command.add_option("program", options->programs, "MODEL.stan; many are compiled faster together")
                    ->required();
                command.add_option("-o,--output", options->output,
                                   "the library, or a directory for libraries (default MODEL.so, beside the program)");
                command.add_flag("--again", options->again, "compile even if the library is up to date");
                options->support_directory = context.support_directory;
                return {.serial = [options] { return compile(*options); }};
            }};
}

} // namespace pearlite::app
