#pragma once
/// `pearlite show`. Private to this layer.

#include <filesystem>

namespace pearlite::app {

/// Prints the contents of a results or checkpoint file; the exit status. InputError if it cannot be read.
int show_command(const std::filesystem::path& file);

} // namespace pearlite::app
