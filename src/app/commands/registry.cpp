#include "app/commands/command.hpp"

namespace pearlite::app {

std::vector<CommandEntry> commands() {
    return {
#define PEARLITE_COMMAND(name) name##_entry(),
#include "app/commands/list_of_commands.inl"
#undef PEARLITE_COMMAND
    };
}

} // namespace pearlite::app
