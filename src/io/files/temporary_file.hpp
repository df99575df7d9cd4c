#pragma once
/// Files that are whole or not there: written under another name, then put in place.

#include "io/files/posix_file.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace pearlite::io {

/// A new file beside its place, ".NAME.<16 hexadecimal digits>.tmp": never one that is there already, never through a
/// symbolic link. It is removed unless it is put in place.
class TemporaryFile {
  public:
    /// `place`: where the file shall stand. FileError.
    explicit TemporaryFile(const std::filesystem::path& place);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    PosixFile& file() { return *file_; }
    const std::filesystem::path& path() const { return path_; }
    /// Syncs, renames and syncs the directory. FileError; `place` is then as it was, except if only the very last step
    /// fails, the sync of the directory.
    void put_in_place();

  private:
    std::filesystem::path place_, path_;
    std::optional<PosixFile> file_;
};

/// Whether a file has the name of a temporary file, such as a killed program leaves behind.
bool is_temporary(const std::filesystem::path& file);
/// Removes such files from a directory, except where the removal fails.
void remove_temporary_files(const std::filesystem::path& directory);

/// Writes a file so that a crash leaves the old one or the new one. FileError, with the old one still there.
void write_durably(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_durably(const std::filesystem::path& file, const std::string& text);

} // namespace pearlite::io
