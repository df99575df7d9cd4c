#include "../../../../src/app/commands/list_of_commands.inl"
PEARLITE_COMMAND(toy)
