#pragma once
/// Input files that a person names.

#include <filesystem>
#include <string>

namespace pearlite::io {

/// InputError if the file is absent, a directory, pipe, device or file of the kernel, or cannot be read;
/// `expected` describes the expected contents.
void require_readable_file(const std::filesystem::path& file, const std::string& expected);

/// All of a file's bytes; throws as require_readable_file.
std::string read_whole_file(const std::filesystem::path& file, const std::string& expected);

} // namespace pearlite::io
