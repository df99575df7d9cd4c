// A toy command, with an option.
#include "app/commands/command.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace pearlite::app {

CommandEntry toy_entry() {
    return {"toy", "say hello", [](CLI::App& command, const CommandContext&) -> Action {
                const auto name = std::make_shared<std::string>("world");
                command.add_option("--name", *name, "of whom to greet");
                return {.serial = [name] { return std::printf("hello, %s\n", name->c_str()) < 0 ? 1 : 0; }};
            }};
}

} // namespace pearlite::app
