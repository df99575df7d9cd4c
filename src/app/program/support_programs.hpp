#pragma once
/// Programs outside that commands run, and files that are installed beside this program.

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// Runs a program found on the PATH with these arguments; its exit status, or 127.
int run_tool(const std::vector<std::string>& arguments, bool silent);

/// A file of share/pearlite beside this program, else of `support_directory`. FileError if it is in neither.
std::filesystem::path support_file(const std::string& name, const std::filesystem::path& support_directory);

} // namespace pearlite::app
