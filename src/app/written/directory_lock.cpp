#include "app/written/directory_lock.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace pearlite::app {

namespace {

/// The kernel's answer: 0, or the error.
int try_to_lock(int descriptor) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

/// Whether the path still leads to this file, which its last holder may have removed.
bool is_at(const std::filesystem::path& path, int descriptor) {
    struct stat there {
    }, here{};
    return ::stat(path.c_str(), &there) == 0 && ::fstat(descriptor, &here) == 0 && there.st_ino == here.st_ino &&
           there.st_dev == here.st_dev;
}

std::string text_of(int descriptor) {
    std::array<char, 256> text{};
    const auto length = ::pread(descriptor, text.data(), text.size(), 0);
    std::string found(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    while (!found.empty() && found.back() == '\n')
        found.pop_back();
    return found.empty() ? "a process" : found;
}

/// Writes the name of this process into the lock file. If it cannot be written, on a full disk for example, the lock
/// still holds.
void sign(int descriptor) {
    std::array<char, 128> host{};
    ::gethostname(host.data(), host.size() - 1);
    const auto text = fmt::format("process {} on {}\n", ::getpid(), host.data());
    [[maybe_unused]] const bool is_written =
        ::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) > 0;
}

constexpr const char* lock_file = "run.lock";

} // namespace

std::string lock_holder(const std::filesystem::path& directory) {
    const int descriptor = ::open((directory / lock_file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        return {};
    struct flock whole {};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    const bool is_held = ::fcntl(descriptor, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    std::string holder = is_held ? text_of(descriptor) : "";
    ::close(descriptor);
    return holder;
}

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) : file_(directory / lock_file) {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::seconds(5);
    constexpr auto pause = std::chrono::milliseconds(50);
    const auto give_up = Clock::now() + patience;
    for (;;) {
        descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        const int error = descriptor_ < 0 ? errno : try_to_lock(descriptor_);
        if (error == 0 && is_at(file_, descriptor_)) {
            sign(descriptor_);
            return;
        }
        const bool is_held = descriptor_ >= 0 && (error == EAGAIN || error == EACCES);
        const auto holder = is_held ? text_of(descriptor_) : "";
        if (descriptor_ >= 0)
            ::close(std::exchange(descriptor_, -1));
        if (error != 0 && !is_held) {
            remark_ = fmt::format("{} cannot be locked ({}): a second run in it would not be noticed",
                                  directory.string(), std::strerror(error));
            return;
        }
        if (is_held && Clock::now() >= give_up)
            throw InputError(
                fmt::format("{}: {} runs here; expected a directory that no run is using", directory.string(), holder));
        if (is_held)
            std::this_thread::sleep_for(pause);
    }
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      remark_(std::move(other.remark_)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(remark_, other.remark_);
    return *this;
}

DirectoryLock::~DirectoryLock() {
    if (descriptor_ < 0)
        return;
    // Remove the file before the lock is released, so that a waiting process sees that the file is gone and makes a new
    // one.
    ::unlink(file_.c_str());
    ::close(descriptor_);
}

} // namespace pearlite::app
