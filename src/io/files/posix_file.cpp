#include "io/files/posix_file.hpp"

#include "pearlite/core/error.hpp"

#include <linux/magic.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace pearlite::io {

namespace {

// Linux moves at most about 2 GiB in one call.
constexpr std::size_t largest_transfer_bytes = std::size_t{1} << 30;

[[noreturn]] void fail(const std::string& action, const std::filesystem::path& path, int error) {
    throw FileError("cannot " + action + " " + path.string() + ": " + std::generic_category().message(error));
}

struct stat status_of(int descriptor, const std::filesystem::path& path) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0)
        fail("examine", path, errno);
    return status;
}

} // namespace

PosixFile::PosixFile(const std::filesystem::path& path, int flags) : path_(path) {
    do
        descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0)
        fail((flags & O_CREAT) ? "create" : "open", path, errno);
}

PosixFile::PosixFile(PosixFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

PosixFile& PosixFile::operator=(PosixFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

PosixFile::~PosixFile() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

std::uint64_t PosixFile::size() const {
    return static_cast<std::uint64_t>(status_of(descriptor_, path_).st_size);
}

bool PosixFile::is_regular() const {
    return S_ISREG(status_of(descriptor_, path_).st_mode);
}

bool PosixFile::is_directory() const {
    return S_ISDIR(status_of(descriptor_, path_).st_mode);
}

void PosixFile::reserve(std::uint64_t bytes) {
    const DiskWait wait;
    int error = 0;
    do
        error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
    while (error == EINTR);
    if (error != 0)
        fail("reserve " + std::to_string(bytes) + " bytes for", path_, error);
}

void PosixFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
    const DiskWait wait;
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), largest_transfer_bytes),
                                         static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            fail("write", path_, written < 0 ? errno : ENOSPC);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
}

void PosixFile::read(std::span<std::byte> bytes, std::uint64_t offset) const {
    const DiskWait wait;
    while (!bytes.empty()) {
        const ssize_t n = ::pread(descriptor_, bytes.data(), std::min(bytes.size(), largest_transfer_bytes),
                                  static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail("read", path_, errno);
        if (n == 0)
            throw FileError(path_.string() + " ends before byte " + std::to_string(offset + bytes.size()));
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
}

void PosixFile::start_writing_back(std::uint64_t offset, std::uint64_t bytes) {
    ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
}

void PosixFile::sync() {
    const DiskWait wait;
    if (::fsync(descriptor_) != 0)
        fail("sync", path_, errno);
}

std::vector<std::filesystem::path> paths_in(const std::filesystem::path& directory, std::error_code& error) {
    std::vector<std::filesystem::path> paths;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
    error = {stream ? 0 : errno, std::generic_category()};
    while (stream && !error) {
        errno = 0; // readdir sets it on failure, and not at the end
        const dirent* const entry = ::readdir(stream.get());
        error = {entry ? 0 : errno, std::generic_category()};
        if (!entry)
            break;
        if (const std::string_view name = entry->d_name; name != "." && name != "..")
            paths.push_back(directory / name);
    }
    return paths;
}

void sync_directory(const std::filesystem::path& directory) {
    const DiskWait wait;
    const std::filesystem::path name = directory.empty() ? "." : directory;
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        fail("open directory", name, errno);
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    // Some network file systems cannot sync a directory and say so with EINVAL; they order renames themselves.
    if (error != 0 && error != EINVAL)
        fail("sync directory", name, error);
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
    const DiskWait wait;
    if (::rename(from.c_str(), to.c_str()) != 0)
        fail("rename " + from.filename().string() + " to", to, errno);
    sync_directory(to.parent_path());
}

namespace {

/// A phrase for a file without contents, such as a directory or a device; empty for all other files, and for a path
/// that does not exist.
std::string kind_of_odd_file(const std::filesystem::path& file) {
    using std::filesystem::file_type;
    std::error_code ignored;
    switch (std::filesystem::status(file, ignored).type()) {
    case file_type::directory:
        return "a directory";
    case file_type::fifo:
        return "a pipe";
    case file_type::socket:
        return "a socket";
    case file_type::character:
    case file_type::block:
        return "a device";
    default:
        break;
    }
    struct statfs system {};
    if (::statfs(file.c_str(), &system) == 0 && (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)) {
        return "a file of the kernel";
    }
    return {};
}

std::ifstream open_input(const std::filesystem::path& file, const std::string& expected) {
    if (const std::string kind = kind_of_odd_file(file); !kind.empty()) {
        throw InputError(file.string() + ": is " + kind + ", expected " + expected);
    }
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream.is_open()) {
        const std::string reason = errno == 0 ? "it does not open" : std::strerror(errno);
        throw InputError(file.string() + ": cannot be read (" + reason + "), expected " + expected);
    }
    return stream;
}

} // namespace

void require_readable_file(const std::filesystem::path& file, const std::string& expected) {
    open_input(file, expected);
}

std::string read_whole_file(const std::filesystem::path& file, const std::string& expected) {
    std::ifstream stream = open_input(file, expected);
    std::string content(std::istreambuf_iterator<char>(stream), {});
    if (stream.bad()) {
        throw InputError(file.string() + ": cannot be read to its end, expected " + expected);
    }
    return content;
}

} // namespace pearlite::io
