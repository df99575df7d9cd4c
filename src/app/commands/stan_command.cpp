#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/program/support_programs.hpp"

namespace pearlite::app {

namespace {

struct StanOptions {
    std::filesystem::path program; ///< model.stan
    std::filesystem::path support_directory;
    std::optional<std::filesystem::path> library; ///< default: the program's name with .so
    bool again = false;                           ///< compile even if nothing has changed
};

int compile(const StanOptions& options) {
    const auto script = support_file("pearlite_stan/compile.sh", options.support_directory);
    auto library = options.program;
    library.replace_extension(".so");
    return run_tool({"bash", script.string(), options.program.string(), options.library.value_or(library).string(),
                     options.again ? "no" : "yes"},
                    false);
}

} // namespace

CommandEntry stan_command_entry() {
    return {"stan", "compile a Stan program to a library that model \"stan\" takes",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<StanOptions>();
                command.add_option("program", options->program, "MODEL.stan")->required();
                command.add_option("-o,--output", options->library,
                                   "the library (default MODEL.so, beside the program)");
                command.add_flag("--again", options->again, "compile even if the library is up to date");
                options->support_directory = context.support_directory;
                return {.serial = [options] { return compile(*options); }};
            }};
}

} // namespace pearlite::app
