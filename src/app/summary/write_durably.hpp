#pragma once
/// Small text files that are whole or not there.

#include <filesystem>
#include <string>

namespace pearlite::app {

/// Writes the file under a temporary name, syncs it and renames it. FileError if that fails; the old one is then still
/// there.
void write_durably(const std::filesystem::path& file, const std::string& text);

} // namespace pearlite::app
