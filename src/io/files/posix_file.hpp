#pragma once
/// Files through POSIX calls, with every failure an exception, for writing and verifying containers; whole
/// files as text.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace pearlite::io {

/// While an object lives, this process waits for a disk, which may take its time: a process that is out of time is not
/// ended in between. Where several ranks write, the others wait for the slowest in an agreement, with the patience that
/// the program has for agreements.
class DiskWait {
  public:
    DiskWait() noexcept { ++waits_; }
    ~DiskWait() { --waits_; }
    DiskWait(const DiskWait&) = delete;
    DiskWait& operator=(const DiskWait&) = delete;

    /// Signal handlers may ask.
    static bool is_on() noexcept { return waits_ > 0; }

  private:
    static inline std::atomic<int> waits_ = 0;
};

/// An open file. All members throw FileError with the file's name and the system's reason.
class PosixFile {
  public:
    /// `flags` as of open(2), with O_CLOEXEC added; a created file gets 0666 minus the umask.
    PosixFile(const std::filesystem::path& path, int flags);
    PosixFile(PosixFile&& other) noexcept;
    PosixFile& operator=(PosixFile&& other) noexcept;
    ~PosixFile();

    std::uint64_t size() const;
    bool is_regular() const;
    bool is_directory() const;
    /// Makes the file `bytes` long with its space on the device taken, so that no later write can find the disk full.
    void reserve(std::uint64_t bytes);
    void write(std::span<const std::byte> bytes, std::uint64_t offset);
    /// Fills the span; a file that ends before is an error.
    void read(std::span<std::byte> bytes, std::uint64_t offset) const;
    /// Asks the system to start writing these bytes to the device, without waiting; a hint only.
    void start_writing_back(std::uint64_t offset, std::uint64_t bytes);
    void sync();
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// Puts `from` in the place of `to`, in the same directory, so that a crash leaves one or the other. FileError, too, if
/// only the directory's sync fails; `to` is then the new file.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
/// The paths of all that a directory holds, in no order, or an error of the system. The iterator of libstdc++ 12 would
/// end the program where memory ends; here that is an exception like any other.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& directory, std::error_code& error);
/// Makes names in a directory outlast a crash of the machine. FileError.
void sync_directory(const std::filesystem::path& directory);

// Input files that a person names.

/// InputError if the file is absent, a directory, pipe, device or file of the kernel, or cannot be read;
/// `expected` describes the expected contents.
void require_readable_file(const std::filesystem::path& file, const std::string& expected);

/// All of a file's bytes; throws as require_readable_file.
std::string read_whole_file(const std::filesystem::path& file, const std::string& expected);

} // namespace pearlite::io
