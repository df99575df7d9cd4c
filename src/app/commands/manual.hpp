#pragma once
/// Manual pages and shell completions, generated from the command line itself. Private to this layer.

#include "io/configuration/key_description.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pearlite::app {

enum class ManualPart { commands, keys, bash, zsh };

/// The page pearlite(1) in roff, pearlite.toml(5) in roff, or completions of commands, options and keys for a shell.
std::string manual(ManualPart part, const CLI::App& app, const std::vector<io::TableDescription>& tables);

} // namespace pearlite::app
