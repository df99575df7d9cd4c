#include "app/commands/commands.hpp"
#include "app/commands/support_programs.hpp"

namespace pearlite::app {

int stan_command(const StanOptions& options) {
    const auto script = support_file("pearlite_stan/compile.sh", options.support_directory);
    auto library = options.program;
    library.replace_extension(".so");
    return run_tool({"bash", script.string(), options.program.string(), options.library.value_or(library).string(),
                     options.again ? "no" : "yes"},
                    false);
}

} // namespace pearlite::app
