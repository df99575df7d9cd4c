#pragma once
/// The best state of a search in files that other programs open.

#include "app/result/run.hpp"

#include <filesystem>
#include <string>

namespace pearlite::app {

/// In `directory`: best.pgm and observed.pgm of an image, best.dot (Graphviz) of a network, nothing of other states.
/// FileError if they cannot be written.
void write_best_files(const std::filesystem::path& directory, const model::StateDescription& best);

/// Whether write_best_files() makes files of this name.
bool is_best_file(const std::string& name);

} // namespace pearlite::app
